/**
 * Words of PDF files (ISO 32000) that can run scripts, open other pages or documents, contain forms, or
 * hide such words in compressed or encrypted objects.
 */
const ACTIVE =
  /\/(?:JavaScript|URI|Launch|GoToR|GoToE|SubmitForm|ImportData|Rendition|RichMedia|Movie|Named|XFA|AcroForm|ObjStm|Encrypt)\b/

/**
 * Whether a PDF file certainly contains only pages, so that a viewer inside a page can show it: its
 * scripts would open dialogs there, and its links would replace the page.
 */
export function isPassivePdf(bytes: Buffer): boolean {
  // A name can be spelled with hexadecimal codes: /J#61vaScript.
  const text = bytes
    .toString('latin1')
    .replace(/#([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
  return text.startsWith('%PDF-') && !ACTIVE.test(text)
}
