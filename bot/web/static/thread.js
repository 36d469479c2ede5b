// The thread follows the chat's own sequence: every event is one whole message, swapped in by its id.
import { bindPlayer } from './player.js';

const FAR_FROM_END = 160; // px: whoever reads further up is not pulled down

export class Thread {
  constructor(words, config) {
    this.words = words;
    this.cursor = config.cursor;
    this.list = document.getElementById('thread');
    this.hello = document.getElementById('hello');
    this.announce = document.getElementById('announce');
    this.lost = document.getElementById('lost');
    this.running = document.getElementById('running');
    this.live = !config.paged; // an older page is read, not followed
    this.wire(this.list);
    this.list.addEventListener('submit', event => this.press(event));
    this.rail();
  }

  follow() {
    const source = new EventSource('/chat/events?cursor=' + this.cursor);
    source.addEventListener('open', () => { this.lost.hidden = true; });
    source.addEventListener('message', event => this.take(JSON.parse(event.data)));
    source.addEventListener('reset', event => this.reset(JSON.parse(event.data)));
    source.addEventListener('error', () => {
      this.lost.hidden = false;
      if (source.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
      source.close();
      setTimeout(() => this.follow(), 3000); // the server answered, but not with a stream: restarted or signed out
      fetch('/chat/session', { headers: { Accept: 'application/json' } }).then(async answer => {
        if (answer.status === 401) this.lost.lastElementChild.textContent = (await answer.json()).error;
      }).catch(() => {});
    });
  }

  take({ seq, html }) {
    this.cursor = Math.max(this.cursor, seq);
    this.put(html);
  }

  /** The server's snapshot replaces what is here; unsent messages stay, they are nowhere else. */
  reset({ cursor, html, earlier, earlier_label }) {
    const mine = [...this.list.querySelectorAll('[data-local]')];
    this.cursor = cursor;
    this.list.innerHTML = html;
    this.list.append(...mine);
    this.wire(this.list);
    const link = document.getElementById('earlier');
    link.hidden = !earlier;
    link.firstElementChild.textContent = earlier_label;
    link.firstElementChild.href = '/chat?before=' + (this.list.querySelector('li[id]')?.id.slice(1) ?? 0);
    this.after();
  }

  put(html) {
    const fresh = fragment(html), old = document.getElementById(fresh.id);
    if (old && Number(old.dataset.seq) >= Number(fresh.dataset.seq)) return;
    const low = this.nearEnd();
    if (fresh.dataset.key) document.querySelector(`[data-local="${CSS.escape(fresh.dataset.key)}"]`)?.remove();
    if (old) this.swap(old, fresh); else this.append(fresh);
    this.wire(fresh);
    this.tell(old, fresh);
    this.after();
    if (low) this.toEnd();
  }

  swap(old, fresh) {
    const audio = old.querySelector('audio'), focus = old.contains(document.activeElement);
    if (audio && !audio.paused) fresh.querySelector('[data-player] audio')?.replaceWith(audio);
    const at = focus ? [...old.querySelectorAll('button,a,input')].indexOf(document.activeElement) : -1;
    old.replaceWith(fresh);
    if (at >= 0) {
      const same = [...fresh.querySelectorAll('button,a,input')];
      (same[Math.min(at, same.length - 1)])?.focus({ preventScroll: true });
    }
  }

  append(fresh) {
    const local = this.list.querySelector('[data-local]');
    const days = [...this.list.querySelectorAll('.day')];
    if (!days.some(day => day.dataset.day === fresh.dataset.day)) {
      const day = document.createElement('li');
      day.className = 'day';
      day.dataset.day = fresh.dataset.day;
      day.textContent = fresh.dataset.dayLabel;
      this.list.insertBefore(day, local);
    }
    this.list.insertBefore(fresh, local); // what is still being sent stands last
  }

  /** Spoken at most when a stage changes, never for a percentage. */
  tell(old, fresh) {
    if (fresh.classList.contains('mine') || old?.dataset.stage && old.dataset.stage === fresh.dataset.stage) return;
    const now = fresh.querySelector('.stages .now > span')?.textContent ?? '';
    this.announce.textContent = [fresh.dataset.say, now].filter(Boolean).join(' · ');
  }

  wire(root) {
    const players = root.matches?.('li') ? root.querySelectorAll('[data-player]') : this.list.querySelectorAll('[data-player]:not([data-wired])');
    for (const player of players) { player.dataset.wired = ''; bindPlayer(player, this.words); }
  }

  after() {
    if (this.hello) this.hello.hidden = this.list.childElementCount > 0;
    this.rail();
  }

  rail() {
    const rows = [...this.list.querySelectorAll('li[data-kind=receipt]')].filter(li => ['asking', 'waiting', 'retrying', 'running'].includes(li.dataset.state));
    const items = rows.map(li => {
      const item = document.createElement('li'), link = document.createElement('a'), part = document.createElement('span'), stage = document.createElement('span');
      link.href = '#' + li.id;
      link.textContent = li.dataset.title;
      part.className = 'num sub';
      part.textContent = li.querySelector('.now .num')?.textContent ?? '';
      stage.className = 'meta';
      stage.textContent = li.querySelector('.now > span')?.textContent ?? li.dataset.say;
      link.append(part, stage);
      item.append(link);
      return item;
    });
    if (!items.length) {
      const none = document.createElement('li');
      none.className = 'none';
      none.textContent = this.running.dataset.none;
      items.push(none);
    }
    this.running.replaceChildren(...items);
  }

  async press(event) {
    const form = event.target.closest('form.press');
    if (!form) return;
    event.preventDefault();
    const button = event.submitter;
    if (button.hasAttribute('data-wait')) return; // a double click is one press; the other buttons stay free
    const data = new FormData(form, button);
    data.set('key', newKey());
    button.toggleAttribute('data-wait', true); // greyed, not disabled: a disabled button loses the keyboard's place
    note(form, this.words.pressed, false);
    try {
      const answer = await fetch(form.action, { method: 'POST', body: new URLSearchParams(data), headers: { Accept: 'application/json' } });
      const told = answer.ok ? '' : (await answer.json().catch(() => ({}))).error ?? this.words.press_failed;
      note(form, told, !answer.ok);
    } catch {
      note(form, this.words.press_failed, true);
    }
    // the answer comes as an edit of this or another message; until then the same press would only repeat itself
    setTimeout(() => button.removeAttribute('data-wait'), 600);
  }

  nearEnd() {
    return document.documentElement.scrollHeight - innerHeight - scrollY < FAR_FROM_END;
  }

  toEnd() {
    scrollTo({ top: document.documentElement.scrollHeight });
  }
}

export function fragment(html) {
  const template = document.createElement('template');
  template.innerHTML = html.trim();
  for (const plain of template.content.querySelectorAll('noscript')) plain.remove(); // parsed as elements in a template
  // into this document first: a sound that is moved through the template's own document would stop
  return document.adoptNode(template.content.firstElementChild);
}

/** A UUID also where the page is not a secure context (a plain address in a home network). */
export function newKey() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const b = crypto.getRandomValues(new Uint8Array(16));
  b[6] = b[6] & 15 | 64;
  b[8] = b[8] & 63 | 128;
  const hex = [...b].map(x => x.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function note(form, text, bad) {
  let line = form.parentElement.querySelector('.press-note');
  if (!line) { line = document.createElement('p'); line.className = 'press-note'; line.setAttribute('role', 'status'); form.after(line); }
  line.classList.toggle('bad', bad);
  line.textContent = text;
  line.hidden = !text;
}
