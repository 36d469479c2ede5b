"""Does a text read like language, or like bytes read with the wrong codec? A share between 0 and 1."""

from __future__ import annotations

import re

# The commonest characters of Chinese, both scripts, and syllables of Korean: a wrong codec hardly ever hits them.
_COMMON_HAN = re.compile(
    "[的一是了不在有人我他这這个個们們中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子]"
)
_COMMON_HANGUL = re.compile("[이다는의에을를가은한하고로지도기서사인어나시자리]")
_HAN = re.compile("[\u3400-\u9fff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_KANA = re.compile("[\u3041-\u30ff]")
# Never in running text: private use, C1 controls, replacement, box drawing, lone half-width kana among others.
_FOREIGN = re.compile("[\ue000-\uf8ff\u0080-\u009f\ufffd\u2500-\u259f\u3100-\u312f\uff61-\uff9f\u02b0-\u02ff]")
_LATIN = re.compile("[\u00a1-\u024f]+")
_LATIN_LETTERS = re.compile("[\u00c0-\u024f]")
_CASED = re.compile("[\u0370-\u052f]+")
_ODD_CASE = re.compile("(?<=[α-ωа-яё])[Α-ΩА-ЯЁ]")
_OTHER = re.compile("[\u0590-\u0eff\u10a0-\u10ff]")
_FEW = 4  # characters: fewer say nothing
_COMMON_SHARE = 0.06  # of Han or Hangul in real text it is .1 to .25; read wrongly it is under .02


def plausible(text: str) -> float:
    """Return how much of the text's characters beyond ASCII look meant; 1.0 when there are none."""
    han, hangul = len(_HAN.findall(text)), len(_HANGUL.findall(text))
    kana, other = len(_KANA.findall(text)), len(_OTHER.findall(text))
    latin, latin_good = _latin(text)
    cased, cased_good = _cased(text)
    foreign = len(_FOREIGN.findall(text))
    weighed = han + hangul + kana + other + latin + cased + 4 * foreign
    if weighed == 0:
        return 1.0
    good = kana + other + latin_good + cased_good
    good += han * _share(len(_COMMON_HAN.findall(text)), han, with_kana=kana > han / 10)
    good += hangul * _share(len(_COMMON_HANGUL.findall(text)), hangul)
    return good / weighed


def _share(common: int, of: int, *, with_kana: bool = False) -> float:
    if of < _FEW or with_kana:  # Japanese uses other common characters; its kana have told already
        return 0.7
    return min(1.0, common / of / _COMMON_SHARE)


def _latin(text: str) -> tuple[int, float]:
    """Accented letters stand alone or in pairs between plain ones; in long runs they are another script misread."""
    total, good = 0, 0.0
    for run in _LATIN.findall(text):
        total += len(run)
        good += len(run) if len(run) <= 2 and (len(run) == 1 or _LATIN_LETTERS.search(run)) else 0.0
    return total, good


def _cased(text: str) -> tuple[int, float]:
    """Greek and Cyrillic words, capitals only at their beginning or throughout."""
    total, good = 0, 0.0
    for run in _CASED.findall(text):
        total += len(run)
        good += max(0, len(run) - 3 * len(_ODD_CASE.findall(run)))
    return total, good
