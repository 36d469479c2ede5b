"""Sentences about nothing in particular: how near a question comes to text that does not answer it.

Cosines of different models lie on different scales (one gives 0.80 to strangers, another 0.10). The nearest of these
neutral sentences tells where "strange" ends for this model and this question; only what lies beyond it counts. All
are our own, of many genres, and say nothing about any source.
"""

from __future__ import annotations

COHORT = (
    "会议室的门今天早上换了新的把手。",
    "他把两封信放在窗台上，然后关灯出门。",
    "这条街上的梧桐树每年秋天都要修剪。",
    "请在表格的右下角签名并写上日期。",
    "孩子们在操场上排成三队，等着领气球。",
    "新的软件版本修复了若干已知错误。",
    "火车晚点二十分钟，站台上挤满了人。",
    "研究人员比较了两组样本的平均值。",
    "这道菜需要提前一晚把豆子泡好。",
    "公司在去年第四季度的收入有所增长。",
    "山顶的气温比山脚低大约六度。",
    "合同自双方签字盖章之日起生效。",
    "病人应当按照医生的嘱咐按时服药。",
    "这种鸟在春天飞到北方繁殖。",
    "比赛在加时阶段才分出胜负。",
    "老师要求每个学生写一篇八百字的作文。",
    "河水在雨季会漫过低处的石阶。",
    "博物馆的二楼正在举办陶器展览。",
    "使用前请先阅读说明书并检查电源。",
    "该国的人口在上个世纪翻了一番。",
    "小说的主人公在结尾回到了故乡。",
    "这座城市的地铁共有五条线路。",
    "将军率领军队渡过了那条大江。",
    "望远镜的口径越大，看到的星星越暗。",
    "銀行的營業時間是上午九點到下午三點半。",
    "這首歌的旋律簡單，很容易記住。",
    "颱風過後，工人忙著清理倒下的路樹。",
    "她在日記裡寫下了旅行的經過。",
    "實驗結果與理論的預測大致相符。",
    "議會昨天通過了新的預算案。",
    "The museum opens at ten and closes at six.",
    "Please restart the server after changing the settings.",
)
