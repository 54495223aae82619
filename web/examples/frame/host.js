// The embedding page.
const AGENT = 'https://agent.example/agent.html';
const element = document.createElement('sallyport-run');
element.setAttribute('mode', 'frame');
element.setAttribute('frame', AGENT);
element.addEventListener('sallyport-done', ({ detail }) => {
  document.querySelector('output').textContent = `${detail.state}: ${detail.message ?? detail.code}`;
});
document.body.append(element);
document.querySelector('#go').addEventListener('click', () => void element.start());
