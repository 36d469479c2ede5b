"""Pages that are no article, and articles that look like such pages; written before the rules that tell them apart."""

from __future__ import annotations

from tests.support.page_cases import LINE, MORE

LONG = (LINE + MORE) * 6


def _page(title: str, body: str, head: str = "") -> str:
    return f"<!DOCTYPE html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


_MENU = (
    "<ul>"
    + "".join(f"<li><a href='/{n}'>{n}</a></li>" for n in ("首页", "新闻", "专题", "关于我们", "联系方式"))
    + "</ul>"
)
_FOOT = "<footer><p>版权所有 未经许可不得转载</p><p>备案号 00000000</p></footer>"
_WX = "<script src='//res.wx.qq.com/mmbizwap/a.js'></script>"


def _wechat(sentence: str, more: str = "") -> str:
    return _page(
        "",
        f"<div class='weui-msg'><div class='weui-msg__text-area'><h2 class='weui-msg__title'>{sentence}</h2><p>{more}</p></div></div>{_WX}",
        "<meta property='og:site_name' content='微信公众平台'>",
    )


# Each row: its name, the page, and what stands in the place of an article.
BLOCKED = [
    ("deleted by its author", _wechat("该内容已被发布者删除"), "removed"),
    (
        "taken down",
        _wechat("此内容因违规无法查看", "此内容因涉嫌违反相关法律法规和政策，发送至好友、分享到朋友圈时受限"),
        "removed",
    ),
    ("complained about", _wechat("此内容被投诉且经审核涉嫌侵权，无法查看。"), "removed"),
    (
        "account moved",
        _wechat("该公众号已迁移", "该公众号已迁移至新的账号，原账号已回收。若需访问原文章链接，请点击下方按钮。"),
        "removed",
    ),
    ("account closed", _wechat("此账号已自主注销，内容无法查看"), "removed"),
    ("account blocked", _wechat("此帐号已被屏蔽, 内容无法查看"), "removed"),
    ("link too old", _wechat("链接已过期"), "removed"),
    (
        "deleted, elsewhere",
        _page(
            "提示信息",
            f"{_MENU}<div class=box><p>抱歉，指定的主题不存在或已被删除或正在被审核</p><a href=/>返回上一页</a></div>{_FOOT}",
        ),
        "removed",
    ),
    (
        "content unavailable",
        _page(
            "Video", "<main><h1>This content isn't available right now</h1><p>The owner may have deleted it.</p></main>"
        ),
        "removed",
    ),
    (
        "environment check",
        _page("", f"<div><h2>环境异常</h2><p>当前环境异常，完成验证后即可继续访问。</p><a>去验证</a></div>{_WX}"),
        "challenge",
    ),
    (
        "cloudflare",
        _page(
            "Just a moment...",
            "<h1>example.org</h1><p>Verifying you are human. This may take a few seconds.</p><p>example.org needs to review the security of your connection before proceeding.</p><script>window._cf_chl_opt={}</script>",
        ),
        "challenge",
    ),
    (
        "cloudflare in Chinese",
        _page("请稍候…", "<h1>example.org</h1><p>正在验证您是否是真人。这可能需要几秒钟时间。</p>"),
        "challenge",
    ),
    (
        "access denied",
        _page(
            "Access Denied",
            "<h1>Access Denied</h1><p>You don't have permission to access this page on this server.</p><p>Reference #18.0000</p>",
        ),
        "challenge",
    ),
    (
        "a slider",
        _page("验证码拦截", "<div id=nocaptcha></div><p>亲，请拖动下方滑块完成验证</p><p>通过验证以确保正常访问</p>"),
        "challenge",
    ),
    ("too often", _page("访问提示", "<p>您的访问过于频繁，请稍后再试</p>"), "challenge"),
    (
        "security check",
        _page("百度安全验证", "<div class=timeout><p>网络不给力，请稍后重试</p><a>返回首页</a><p>问题反馈</p></div>"),
        "challenge",
    ),
    ("needs scripts", _page("App", "<div><p>Please enable JavaScript and cookies to continue</p></div>"), "challenge"),
    (
        "robot check in a small page",
        _page(
            "example",
            "<p>Please wait while we check your connection. Reference id 00ff.</p><script src='https://geo.captcha-delivery.com/captcha/'></script>",
        ),
        "challenge",
    ),
    (
        "login wall",
        _page(
            "登录",
            "<form><input name=user><p>请先登录后查看</p><button>登录</button><p>还没有账号？立即注册</p></form>",
        ),
        "login",
    ),
    (
        "login wall in English",
        _page("Log in", "<h1>Log in to continue</h1><p>New here? Create an account.</p><p>Forgot password?</p>"),
        "login",
    ),
    (
        "login after the title",
        _page("湖心站年报", f"{_MENU}<h1>湖心站年报</h1><p>登录后才能查看全文，请先登录或注册。</p>{_FOOT}"),
        "login",
    ),
    (
        "paywall with nothing before it",
        _page(
            "湖心站年报",
            f"<h1>湖心站年报</h1><div class=paywall><p>本文为付费内容，订阅后可阅读全文</p><p>开通会员</p></div>{_FOOT}",
        ),
        "paywall",
    ),
    (
        "paywall in English",
        _page(
            "Lake report",
            "<h1>Lake report</h1><p>Subscribe to continue reading</p><p>Already a subscriber? Sign in</p>",
        ),
        "paywall",
    ),
    ("not found", _page("404 Not Found", "<h1>404 Not Found</h1><hr><center>nginx</center>"), "missing"),
    (
        "not found, with a menu",
        _page(
            "页面不存在",
            f"{_MENU}<div><h2>404</h2><p>抱歉，您访问的页面不存在</p><p>可能已被移走，请检查地址是否正确</p></div>{_FOOT}",
        ),
        "missing",
    ),
    (
        "page not found, polite",
        _page(
            "Page not found | Lake office",
            "<h1>Oops! That page can't be found.</h1><p>It looks like nothing was found at this location.</p>",
        ),
        "missing",
    ),
    (
        "server error",
        _page("502 Bad Gateway", "<center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center>"),
        "missing",
    ),
]

# Each row: its name, the page, and a sentence that must be read.
ARTICLES = [
    (
        "about captchas",
        _page(
            "验证码为什么越来越难",
            f"<article><h1>验证码为什么越来越难</h1><p>很多网站在登录时会说请输入验证码，或者请完成安全验证。</p><p>{LONG}</p></article>",
        ),
        "请完成安全验证",
    ),
    (
        "a short brief about checks",
        _page(
            "县里网站启用人机验证",
            "<article><h1>县里网站启用人机验证</h1><p>县政府网站本周起启用人机验证，市民办事前需拖动滑块。</p><p>负责人说，此举是为了拦住抢号的程序，老人可以走人工窗口。</p></article>",
        ),
        "拦住抢号的程序",
    ),
    (
        "about Cloudflare",
        _page(
            'What "Just a moment..." means',
            '<article><h1>What "Just a moment..." means</h1><p>Cloudflare shows the words checking your browser before a page opens. The check asks the browser to solve a small task.</p><p>Most people pass it in seconds. The page then opens, and a cookie remembers the result for some hours.</p></article>',
        ),
        "solve a small task",
    ),
    (
        "about a deleted post",
        _page(
            "一条微博之后",
            f"<article><h1>一条微博之后</h1><p>他再打开时，页面显示该内容已被发布者删除。</p><p>{LONG}</p></article>",
        ),
        "页面显示该内容已被发布者删除",
    ),
    (
        "a short story with a deleted post",
        _page(
            "一条微博之后",
            "<article><p>他再打开时，页面显示该内容已被发布者删除，心里一沉。</p><p>三个小时前，这里还有两千条留言，如今什么都没有了，只剩一行灰字。</p></article>",
        ),
        "两千条留言",
    ),
    (
        "how to fix a 404",
        _page(
            "How to fix 404 Not Found",
            "<article><h1>How to fix 404 Not Found</h1><p>A 404 Not Found answer means that the server has no page at this address. Check the spelling first.</p><p>If a page moved, set a redirect in the server so that old links still work.</p></article>",
        ),
        "set a redirect",
    ),
    (
        "a login hint below an article",
        _page(
            "湖心站",
            f"{_MENU}<article><h1>湖心站</h1><p>{LONG}</p></article><div class=comments><p>请登录后查看评论</p></div>{_FOOT}",
        ),
        LINE,
    ),
    (
        "cookies and scripts in the footer",
        _page(
            "湖心站",
            f"<article><h1>湖心站</h1><p>{LINE}</p><p>{MORE}</p></article><noscript>Please enable JavaScript to continue</noscript>{_FOOT}",
        ),
        MORE,
    ),
    (
        "a site that loads a captcha for its form",
        _page(
            "湖心站",
            f"<article><h1>湖心站</h1><p>{LONG}</p></article><form class=g-recaptcha><p>留言</p></form><script src='https://www.google.com/recaptcha/api.js'></script>",
        ),
        LINE,
    ),
    (
        "a short notice about accounts",
        _page(
            "关于账号登录方式调整的通知",
            "<article><h1>关于账号登录方式调整的通知</h1><p>自9月1日起，请登录后查看成绩，原查询页面停止使用。</p><p>忘记密码的考生请带身份证到招生办重置。</p></article>",
        ),
        "原查询页面停止使用",
    ),
    (
        "an article about paywalls",
        _page(
            "报纸的付费墙",
            f"<article><h1>报纸的付费墙</h1><p>读者点开一篇报道，看到订阅后可阅读全文，多半会关掉。</p><p>{LONG}</p></article>",
        ),
        "多半会关掉",
    ),
    (
        "a poem that is short",
        _page(
            "夜", "<article><h1>夜</h1><p>风过湖面，</p><p>灯在远处，</p><p>有人还在记水位，一笔一笔。</p></article>"
        ),
        "有人还在记水位",
    ),
]

# Each row: its name, and the page. An article cut off by a wall. PARTIAL with the note "paywall".
TEASERS = [
    (
        "cut by a subscription",
        _page(
            "湖心站年报",
            f"{_MENU}<article><h1>湖心站年报</h1><p>{LINE}</p><p>{MORE}</p></article><div class='paywall'><p>本文为付费内容，订阅后可阅读全文</p><a href=/pay>立即订阅</a></div>{_FOOT}",
        ),
    ),
    (
        "cut inside the article",
        _page(
            "湖心站年报",
            f"<article><h1>湖心站年报</h1><p>{LINE}</p><p>{MORE}</p><p>登录后继续阅读全文</p></article>{_FOOT}",
        ),
    ),
    (
        "so much is left",
        _page(
            "湖心站年报",
            f"<article><h1>湖心站年报</h1><p>{LINE}</p><p>{MORE}</p><div>剩余 78% 未读，开通会员后可继续阅读</div></article>{_FOOT}",
        ),
    ),
    (
        "in English",
        _page(
            "Lake report",
            "<article><h1>Lake report</h1><p>The station writes down the level of the lake each hour and sends the data to the county on the same day.</p><p>At night the staff check it again and report by telephone.</p><div class=gate><p>Subscribe to continue reading</p><p>Already a subscriber? Sign in</p></div></article>",
        ),
    ),
]
WHOLE = [
    (
        "a subscription offer in the menu",
        _page(
            "湖心站",
            f"<header><p>订阅后可阅读全文</p></header>{_MENU}<article><h1>湖心站</h1><p>{LONG}</p><p>{MORE}</p></article>{_FOOT}",
        ),
    ),
    (
        "a newsletter below",
        _page(
            "Lake",
            "<article><h1>Lake</h1><p>The station writes down the level of the lake each hour and sends the data to the county on the same day.</p><p>At night the staff check it again and report by telephone.</p></article><footer><p>Subscribe to our newsletter</p></footer>",
        ),
    ),
]
