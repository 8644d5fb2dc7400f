// Replaces `Intl.ListFormat`, which got creates when loaded, for the text of two programming errors. That takes
// half as long as starting Node.
export class ListFormat {
  format(list) {
    return [...list].join(', ')
  }
}
