import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: 'Print the token in use, for other programs.',
  description:
    'Whoever has the token can do what you can do: do not let it get into logs or histories.',
  examples: [
    ['Print the token', 'auth token'],
    ['Give it to another program', '$ DRV_TOKEN="$(drv auth token)" sh script.sh'],
  ],
  effect: 'reads',
  columns: ['token'],
  async run(_input, context, printer) {
    const token = await (await context.session()).token()
    if (printer.isStructured) return printer.record({token})
    await printer.print(`${token}\n`)
  },
})
