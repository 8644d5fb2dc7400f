/** The text of a file: the bundle, the tests and bin/dev.js each know the query `?raw`. */
declare module '*?raw' {
  const text: string
  export default text
}
