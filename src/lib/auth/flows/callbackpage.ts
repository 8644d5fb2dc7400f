/** What the browser shows once it is back: that it worked, or why it did not. */
export function callbackPage(problem: string | undefined): string {
  const [mark, title, words] =
    problem === undefined
      ? ['✓', 'You are signed in', 'You can close this page and go back to your terminal.']
      : ['✕', 'Sign-in did not work', problem]
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width" />
<title>${title}</title>
<style>
  body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 28rem; margin: 20vh auto 0; padding: 0 1rem; text-align: center; color-scheme: light dark }
  .mark { font-size: 3rem; margin: 0; color: ${problem === undefined ? '#1a7f37' : '#cf222e'} }
</style>
<p class="mark" aria-hidden="true">${mark}</p>
<h1>${title}</h1>
<p>${escape(words)}</p>
</html>
`
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
