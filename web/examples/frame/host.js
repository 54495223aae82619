// The embedding page. The frame's address would be fixed; here it is given, because the example runs anywhere.
const element = document.createElement('sallyport-run');
element.setAttribute('mode', 'frame');
element.setAttribute('frame', new URLSearchParams(location.search).get('agent') ?? 'agent.html');
element.addEventListener('sallyport-done', ({ detail }) => {
  document.querySelector('output').textContent = `${detail.state}: ${detail.message ?? detail.code}`;
});
document.body.append(element);
document.querySelector('#go').addEventListener('click', () => void element.start());
