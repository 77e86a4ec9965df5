"""Names of persons in Chinese text, told from other words by the surname."""

from __future__ import annotations

import re

_SURNAMES = (
    "王李张刘陈杨黄赵周吴徐孙马朱胡郭何林高罗郑梁谢宋唐许韩邓冯曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任卢姚沈钟姜崔谭陆范汪廖石金韦贾夏付邹熊白孟秦邱侯江尹薛"
    "闫段雷龙黎史陶贺毛郝顾龚邵万覃武钱戴严莫孔向常汤康易乔赖庞樊兰殷施洪翟安颜倪牛温芦季俞章鲁葛伍申尤毕聂焦柳邢岳齐庄梅盛童耿左裴单凌祁柯阮纪欧包路甘宁苗翁管喻"
    "裘骆匡詹柴蒲冉蓝涂辛华宫霍桂滕翦荆姬慕屈项祝闵禤米卓成卞穆晏蔺靳茅屠娄佟沙厉宗桑费景"
    "張劉陳楊黃趙吳孫馬鄭謝許韓鄧馮蕭葉蘇呂盧鍾鐘譚陸範韋賈鄒龍賀顧龔萬錢嚴湯喬賴龐樊蘭顏溫蘆魯畢聶齊莊單紀歐寧駱藍塗華宮滕項閔婁厲費"
)
"""The usual surnames of one sign, without those with which many other words begin."""
HAN = "々\u4e00-\u9fff"
_PERSON = rf"[{_SURNAMES}][{HAN}·]{{1,2}}(?![{HAN}·])"
PERSONS = rf"{_PERSON}(?:[\s、，,＆&]{{1,2}}{_PERSON}){{0,5}}"
"""A pattern: names of persons with signs or blanks between."""

_ALONE = re.compile(PERSONS)
_EACH = re.compile(_PERSON)
_BETWEEN = re.compile(rf"(?<=[{HAN}])\s?[、＆&／]\s?(?=[{HAN}])")


def several(name: str) -> list[str]:
    """Return the names of several persons, else the name as it is.

    >>> several("张三 李四"), several("叨叨姐、胡一刀&李小飞刀"), several("花园 报社")
    (['张三', '李四'], ['叨叨姐', '胡一刀', '李小飞刀'], ['花园 报社'])
    """
    return _EACH.findall(name) if _ALONE.fullmatch(name) else _BETWEEN.split(name)
