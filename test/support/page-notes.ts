/** The heading of a page, and its sentences. The ends of tokens are masked. */
export function notesOf(page: string): string {
  const parts = page.matchAll(
    /<(h1|p|div)(?: class="(?:note|bad|good|soft)")?(?: role="(?:alert|status)")?(?: id="problem")?>([^]*?)<\/\1>/g,
  )
  return [...parts]
    .map(([, , inner]) =>
      unescape(inner!.replaceAll(/<[^>]*>/g, ''))
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter(text => text !== '')
    .join('\n')
    .replaceAll(/…\w{8}/g, '…$LAST')
}

function unescape(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
}
