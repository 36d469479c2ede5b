"""Content-addressed bytes in a bucket of an S3-compatible service (rule AUD-4): create-only, hashed by us."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import S3Store

from storage.errors import StorageAway
from storage.objects import HashedObjects


class S3Blobs(HashedObjects):
    """Objects under ``o/<owner>/…`` of one bucket, which must exist.

    The service must know conditional writes (``If-None-Match: *``): without them two writers of one key both write.
    That is harmless here, because a key is the hash of its bytes.

    Args:
        endpoint: address of a service that is not Amazon's; "" for Amazon's own.
    """

    def __init__(self, bucket: str, *, endpoint: str, region: str, key: str, secret: str) -> None:
        super().__init__(
            S3Store(
                bucket,
                region=region,
                access_key_id=key,
                secret_access_key=secret,
                conditional_put="etag",
                endpoint=endpoint or None,
                virtual_hosted_style_request=not endpoint,
                client_options={"allow_http": endpoint.startswith("http://"), "timeout": "120s"},
                retry_config={"max_retries": 3},
            )
        )

    @contextmanager
    def _said(self, what: str) -> Iterator[None]:
        """Raises StorageAway in place of the service's errors; what is there already, or is not there, passes."""
        try:
            yield
        except (AlreadyExistsError, FileNotFoundError):
            raise
        except BaseError as error:
            raise StorageAway(f"the object store did not {what}: {type(error).__name__}") from None
