"""Does a text read like language, or like bytes read with the wrong codec? A share between 0 and 1."""

from __future__ import annotations

import re

# The commonest characters of Chinese, both scripts, and syllables of Korean: a wrong codec hardly ever hits them.
_COMMON_HAN = re.compile(
    "[的一是了不在有人我他这這个個们們中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子]"
)
_COMMON_HANGUL = re.compile("[이다는의에을를가은한하고로지도기서사인어나시자리]")
_COMMON_KANJI = re.compile(
    "[日一国人年大十二本中長出三時行見月後前生五間上東四今金九入学高子外八六下来気小七山女百書先名川千水半男西電語土木"
    "聞食車何南万毎白天母火右読友左休父雨会自社発者地業方新場員立開手力問代明動京目通言理体田主題意不作用度強公持野以思家世"
    "多正安院心界教文元重近考画海売知道集別物使品計死特私始朝運終台広住真有口少町料工建空急止送切転研足究楽起着店病質待試族"
    "記録所役部位]"
)
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
_LONGEST_WORD = 30
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
    common = _COMMON_KANJI if kana > han / 10 else _COMMON_HAN
    good += han * _share(len(common.findall(text)), han)
    good += hangul * _share(len(_COMMON_HANGUL.findall(text)), hangul)
    return good / weighed


def _share(common: int, of: int) -> float:
    if of < _FEW:
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
    """Greek and Cyrillic words: capitals at their beginning, and not many of them; a word ends some time."""
    total, good, small = 0, 0.0, 0
    for run in _CASED.findall(text):
        total += len(run)
        small += sum(map(str.islower, run))
        good += max(0, len(run) - 3 * len(_ODD_CASE.findall(run))) if len(run) <= _LONGEST_WORD else 0
    shouted = total > _LONGEST_WORD and small < total / 2
    return total, 0.0 if shouted else good
