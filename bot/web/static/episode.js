// The script follows the sound; a sentence seeks; a corner opens its quote. One file without imports: it also stands
// inside the self-contained evidence page.
(() => {
  document.documentElement.classList.add('js');
  const words = JSON.parse(document.body.dataset.words), RATES = [1, 1.25, 1.5, 2, 0.75];
  const lines = [...document.querySelectorAll('.line')], audio = document.getElementById('audio');
  const whole = document.querySelector('.whole');
  const clock = s => Math.floor(s / 60) + ':' + String(Math.floor(s % 60)).padStart(2, '0');

  // A quote inside the folded text: unfold first, then go there.
  document.addEventListener('click', event => {
    if (event.target.closest('a[href^="#q"]')) whole.open = true;
  });
  if (location.hash.startsWith('#q')) {
    whole.open = true;
    document.getElementById(location.hash.slice(1))?.scrollIntoView({ block: 'center' });
  }
  if (!audio) return;

  const player = document.querySelector('.player'), range = player.querySelector('input'), play = player.querySelector('[data-play]');
  const use = play.querySelector('use'), now = player.querySelector('.now'), speed = player.querySelector('[data-speed]');
  const heard = player.querySelector('.t-heard'), knob = player.querySelector('.t-play'), trouble = player.querySelector('.press-note');
  const length = Number(player.dataset.ms) / 1000, chapters = [...document.querySelectorAll('.toc a')];
  let current = -1;

  const draw = () => {
    const t = audio.currentTime, ms = t * 1000 + 40; // a cue's first instant belongs to it, whatever the decoder rounds
    range.value = String(Math.round(t));
    range.setAttribute('aria-valuetext', clock(t) + ' / ' + clock(length));
    now.textContent = clock(t) + ' / ' + clock(length);
    const at = Math.min(100, t / length * 100) + '%';
    heard.setAttribute('width', at);
    knob.setAttribute('cx', at);
    const n = t > 0 || !audio.paused ? lines.findLastIndex(line => Number(line.dataset.t) <= ms) : -1;
    if (n === current) return;
    current = n;
    lines.forEach((line, i) => {
      line.classList.toggle('on', i === n);
      line.classList.toggle('past', i < n);
      line.querySelector('.said a').toggleAttribute('aria-current', i === n);
    });
    const chapter = chapters.map(a => Number(a.dataset.t)).filter(start => start <= ms).sort((a, b) => b - a)[0];
    for (const a of chapters) a.toggleAttribute('aria-current', Number(a.dataset.t) === chapter);
    if (n >= 0 && !audio.paused) reveal(lines[n]);
  };
  const reveal = line => {
    const box = line.getBoundingClientRect(), calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (box.top < 180 || box.bottom > innerHeight - 180) line.scrollIntoView({ block: 'center', behavior: calm ? 'auto' : 'smooth' });
  };
  const face = () => {
    use.setAttribute('href', audio.paused ? '#i-play' : '#i-pause');
    play.setAttribute('aria-label', audio.paused ? words.play : words.pause);
  };
  const fail = () => { trouble.textContent = words.no_play; trouble.hidden = false; };
  const seek = s => { audio.currentTime = Math.max(0, Math.min(length - .05, s)); draw(); };
  const toggle = () => { if (audio.paused) audio.play().catch(fail); else audio.pause(); };

  play.addEventListener('click', toggle);
  range.addEventListener('input', () => seek(Number(range.value)));
  for (const skip of player.querySelectorAll('[data-skip]')) skip.addEventListener('click', () => seek(audio.currentTime + Number(skip.dataset.skip)));
  speed.addEventListener('click', () => {
    audio.playbackRate = RATES[(RATES.indexOf(audio.playbackRate) + 1) % RATES.length];
    speed.textContent = audio.playbackRate + '×';
    speed.setAttribute('aria-label', words.speed.replace('{rate}', String(audio.playbackRate)));
  });
  for (const name of ['play', 'pause', 'ended']) audio.addEventListener(name, () => { face(); draw(); });
  for (const name of ['timeupdate', 'seeked']) audio.addEventListener(name, draw);
  audio.addEventListener('error', fail);

  document.querySelector('.script').addEventListener('click', event => {
    const link = event.target.closest('.said a');
    if (!link) return;
    event.preventDefault();
    seek(Number(link.closest('.line').dataset.t) / 1000);
  });
  for (const a of chapters) a.addEventListener('click', () => seek(Number(a.dataset.t) / 1000));

  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest('input,textarea,select,button,a,summary') && event.key !== 'Escape' && !/^[jle]$/i.test(event.key)) return;
    const keys = {
      ' ': toggle, ArrowLeft: () => seek(audio.currentTime - 5), ArrowRight: () => seek(audio.currentTime + 5),
      j: () => seek(audio.currentTime - 15), l: () => seek(audio.currentTime + 15),
      e: () => { const note = lines[Math.max(0, current)].querySelector('.ev'); if (note) note.open = !note.open; },
      Escape: () => { for (const note of document.querySelectorAll('.ev[open]')) note.open = false; },
    };
    const act = keys[event.key] ?? keys[event.key.toLowerCase()];
    if (act) { event.preventDefault(); act(); }
  });
  draw();
})();
