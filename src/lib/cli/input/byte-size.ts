/** Bytes as people write them: `500`, `1.5K`, `10M`, `2G`, `1T`, of 1024 each. `undefined` for anything else. */
export function bytesIn(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([KMGT]?)$/i.exec(text) ?? []
  if (number === undefined) return undefined
  return Number(number) * 1024 ** ' KMGT'.indexOf(unit.toUpperCase() || ' ')
}
