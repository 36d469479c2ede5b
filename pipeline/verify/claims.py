def check(script, texts, allowed):
    return ()
