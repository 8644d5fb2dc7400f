// Stands for the package with got's HTTP/2, which drv never asks for: it opens a TLS context as soon
// as it is loaded. Whoever does ask for it gets to know.
export default new Proxy(
  {},
  {
    get() {
      throw new Error('HTTP/2 is not part of drv.')
    },
  },
)
