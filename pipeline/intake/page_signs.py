"""What pages say that are no article, by kind, as lines begin. Extended here, with a row in the cases for each.

Every pattern is matched against the beginning of a short line, behind a word of regret; none has a loop in a loop.
"""

from __future__ import annotations

import re

REMOVED, LOGIN, CHALLENGE, PAYWALL, MISSING = "removed", "login", "challenge", "paywall", "missing"

_POLITE = (
    r"(?:(?:非常|很|十分)?(?:抱歉|遗憾|对不起|對不起)|亲|您好|你好|提示|错误|error|sorry"
    r"|we(?:'|’)?re sorry|oops|uh-oh|whoops)?"
    r"[\s,，。!！.:：…-]*(?:but\s+|因为)?"
)
_VERB = "(?:访问|查看|浏览|请求)"
_THIS = f"(?:该|此|本|这(?:篇|个|条)?|這(?:篇|個)?|[您你](?:要)?{_VERB}的|指定的|所?{_VERB}的)?"
_THING = "(?:内容|內容|文章|帖子|主题|主題|网页|網頁|页面|頁面|视频|微博|回答|问题|资源|信息|链接|新闻|商品|文件)"

_REMOVED = (
    f"{_THIS}{_THING}(?:不存在或)?(?:可能)?(?:已经?|已被|被)(?:发布者|作者|管理员|用户)?(?:自行)?"
    "(?:删除|刪除|移除|下架|屏蔽|撤回)",
    f"{_THIS}{_THING}(?:因|涉嫌).{{0,12}}(?:违规|违法|违反)",
    f"{_THIS}{_THING}被(?:多人)?(?:投诉|举报)",
    f"(?:暂时)?无法(?:查看|显示)(?:此|该|本){_THING}",
    "[该此](?:公众号|帐号|账号|用户|号)(?:已|被|处于|因)",
    "已停止访问该网页",
    "链接(?:已)?(?:过期|失效)",
    "參數錯誤|参数错误",
    "this (?:post|video|article|story|account|content|item|tweet) (?:has been|was|is|isn(?:'|’)t|is not) "
    "(?:removed|deleted|suspended|taken down|no longer|unavailable|not available|available|currently)",
    "(?:the )?content (?:is )?(?:unavailable|not available|no longer available)",
)
_CHALLENGE = (
    "(?:当前)?环境异常",
    "(?:请|需要?|您需要)?(?:先)?(?:完成|进行|通过)(?:以下|下方|下面的)?(?:安全|人机|身份|图形|滑块)?(?:验证|校验)",
    "(?:百度|系统)?安全(?:验证|检查)|人机验证|滑动验证|访问验证|身份验证|验证码(?:拦截|验证)|請完成.{0,4}驗證",
    "(?:请|需要)?(?:输入|填写)(?:图中|图片|下方)?的?验证码",
    "(?:亲[,，\\s]*)?请?(?:按住|拖动|滑动).{0,6}滑块",
    "正在(?:验证|检查)您",
    "您?的?(?:访问|操作|请求)(?:过于|太)频繁",
    "您?的?访问(?:异常|受限|被拒绝)",
    "(?:请)?(?:开启|启用|打开)\\s*(?:浏览器)?(?:的)?\\s*javascript",
    "您的浏览器(?:不支持|已禁用|未启用)\\s*javascript",
    "请稍[候等](?:片刻)?[.。…]*$",
    "just a moment|one moment,? please|pardon our interruption|attention required|too many requests",
    "checking (?:your browser|if the site connection is secure)",
    "verif(?:y|ying) (?:that )?you are (?:a )?human|are you (?:a robot|human)|robot(?: or human|\\s*check)",
    "(?:please )?(?:enable|turn on) (?:javascript|cookies|js\\b)|you need to enable javascript",
    "javascript (?:is|must be|appears to be|seems to be) (?:disabled|required|enabled|turned)",
    "access (?:to this page has been )?denied|403 forbidden|forbidden$",
    "you don(?:'|’)t have permission to access|(?:our systems have detected )?unusual traffic",
    "(?:human|bot) verification|security check(?:point)?\\b|vercel security checkpoint",
    "please (?:complete|solve) (?:the|this) (?:captcha|security check)",
    "prove you(?:'|’)re (?:not a robot|human)",
)
_PAYWALL = (
    "(?:本文|此文|该文|本篇|此内容|该内容|以下内容)(?:为|是|属于)?.{0,4}(?:付费|会员|订阅者?)(?:专享|专属|内容|阅读|可读|文章)?",
    ".{0,8}(?:订阅|付费|购买|开通会员|成为会员|加入会员)(?:后|即|之后)(?:可|即可|才能|方可|继续|可以)?(?:继续)?(?:阅读|查看|解锁)",
    "(?:剩余|还有|余下|未读)\\s*(?:约)?\\s*\\d{1,3}\\s*%",
    ".{0,6}(?:解锁|阅读)(?:全文|剩余)(?:请|需)",
    "subscribe (?:now )?(?:to|for) (?:continue|read|keep|unlock|full access)",
    "(?:to|you must) (?:continue|keep) reading|(?:continue|keep) reading (?:with|by|for)",
    "(?:this|the) (?:full )?(?:article|story|content|post) is (?:only )?(?:for|exclusive|reserved|available|behind)"
    ".{0,24}(?:subscribers|members|paying|paywall)",
    "(?:become a |already a )(?:paid )?(?:member|subscriber)",
    "you(?:'|’)ve (?:reached|read) (?:your|all).{0,24}(?:limit|articles)",
    "unlock (?:this|the full) (?:article|story)",
)
_LOGIN = (
    "(?:您|你)?(?:需要|请|請|必须|尚未)?(?:先)?(?:登录|登入|登陆)\\s*(?:或注册|并关注)?\\s*"
    "(?:后|以后|之后|即可|才能|可|以)\\s*(?:才能|即可|可|方可|继续|再|可以)?(?:获取|查看|阅读|访问|继续|浏览|操作|參與|$)",
    "(?:请|請)(?:先)?(?:登录|登入|登陆)",
    "(?:please )?(?:sign|log) ?in (?:to|or|before)|please (?:sign|log) ?in",
    "you (?:must|need to) (?:be logged|log|sign) ?in",
)
_MISSING = (
    f"{_THIS}{_THING}(?:不存在|走丢了?|找不到了?|没有找到|未找到|飞走了)",
    "(?:页面|网页)?(?:没有找到|找不到|无法找到).{0,8}(?:页面|网页|内容)|頁面不存在",
    "(?:error\\s*)?404(?:$|[\\s:：,，-]+.{0,30}(?:not found|页面|error|错误|找不到|不存在))",
    "(?:the |this |that )?(?:requested )?page (?:you.{0,40} )?(?:not found|can(?:'|’|no)?t be found|could not be found"
    "|does(?:n(?:'|’)t| not) exist|isn(?:'|’)t available)",
    "not found$|nothing (?:was )?found|it looks like nothing was found",
    "50[0-4] (?:bad gateway|internal|service|gateway)|bad gateway$|service (?:temporarily )?unavailable",
    "(?:the )?requested (?:url|page) .{0,60}not (?:be )?found",
)

Signs = tuple[tuple[str, re.Pattern[str]], ...]


def _compiled(what: str, says: tuple[str, ...]) -> tuple[str, re.Pattern[str]]:
    return what, re.compile(f"(?:{_POLITE})(?:{'|'.join(says)})", re.IGNORECASE)


STARTS: Signs = (
    _compiled(REMOVED, _REMOVED),
    _compiled(CHALLENGE, _CHALLENGE),
    _compiled(PAYWALL, _PAYWALL),
    _compiled(LOGIN, _LOGIN),
    _compiled(MISSING, _MISSING),
)
# Words that are a whole title, and stand in every menu too.
TITLES: Signs = (
    (
        LOGIN,
        re.compile(r"(?:用户|会员|账号|统一)?(?:登录|登入|登陆)(?:页面?)?$|(?:sign|log) ?in$|login$", re.IGNORECASE),
    ),
)
MARKERS = re.compile(
    r"_cf_chl_opt|cf-browser-verification|cf-challenge-running|px-captcha|captcha-delivery\.com|_Incapsula_Resource"
    r"|/_guard/|awswafcaptcha|id=[\"']?nocaptcha|geetest_holder|ddos-guard|sec-if-cpt-container",
    re.IGNORECASE,
)
