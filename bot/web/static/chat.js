// The chat page: thread, composer, earlier messages. Without this file every form still posts and every link still leads.
import { Composer } from './composer.js';
import { Thread } from './thread.js';

const words = JSON.parse(document.body.dataset.words), config = JSON.parse(document.body.dataset.config);
const thread = new Thread(words, config);
new Composer(thread, words, config);

if (thread.live) thread.follow();
if (!location.hash && !config.paged) thread.toEnd();

const earlier = document.getElementById('earlier'), link = earlier.firstElementChild;
link.addEventListener('click', async event => {
  event.preventDefault();
  const before = new URL(link.href).searchParams.get('before');
  const answer = await fetch('/chat/earlier?before=' + before, { headers: { Accept: 'application/json' } }).catch(() => null);
  if (!answer?.ok) { location.assign(link.href); return; }
  const page = await answer.json(), from = document.documentElement.scrollHeight;
  const first = thread.list.querySelector('.day');
  thread.list.insertAdjacentHTML('afterbegin', page.html);
  const days = [...thread.list.querySelectorAll('.day')].filter(day => day.dataset.day === first?.dataset.day);
  if (days.length > 1) first.remove();
  thread.wire(thread.list);
  link.href = '/chat?before=' + page.first;
  link.textContent = page.label;
  earlier.hidden = !page.earlier;
  scrollBy(0, document.documentElement.scrollHeight - from); // what was being read stays where it was
});

for (const go of document.querySelectorAll('a[href="#say"]')) {
  go.addEventListener('click', event => { event.preventDefault(); document.getElementById('say').focus(); });
}
document.getElementById('thread').addEventListener('click', event => {
  if (event.target.closest('a[href="#say"]')) { event.preventDefault(); document.getElementById('say').focus(); }
});
