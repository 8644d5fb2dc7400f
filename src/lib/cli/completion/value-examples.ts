import type {ManifestFlag} from '#lib/cli/help/manifest.js'

/** Example values for flags that accept more than a fixed list of words. */

const MOMENTS = ['today', 'yesterday', '1d', '7d', '30d', '1y']
const SIZES = ['100K', '1M', '10M', '100M', '1G']
const TYPES = ['folder', 'image', 'audio', 'video', 'doc', 'sheet', 'slides', 'text', 'archive']

/** By the placeholder of the value in help. */
const BY_HELP_VALUE: Readonly<Record<string, readonly string[]>> = {
  SIZE: SIZES,
  RATE: SIZES,
  '7d': MOMENTS,
  '1y': MOMENTS,
  TIME: MOMENTS,
  FORMATS: ['docx', 'xlsx', 'pptx', 'pdf', 'html', 'txt', 'csv'],
  'N|head~N|ID': ['head~1'],
  'EMAIL|@DOMAIN|anyone': ['anyone'],
  ...{N: [], NUMBER: [], SECONDS: []},
}

/** By the name of the flag, where several flags share a placeholder. */
const BY_NAME: Readonly<Record<string, readonly string[]>> = {
  expires: ['7d', '30d', '90d'],
  'expiration-date': ['7d', '30d', '90d'],
  owner: ['me'],
  'modified-by': ['me'],
  type: TYPES,
}

/** The example values of a flag: an empty list for a number; `undefined` if no examples are defined. Pure. */
export function valueExamples(
  name: string,
  {helpValue = ''}: Pick<ManifestFlag, 'helpValue'>,
): readonly string[] | undefined {
  if (Object.hasOwn(BY_NAME, name)) return BY_NAME[name]
  return Object.hasOwn(BY_HELP_VALUE, helpValue) ? BY_HELP_VALUE[helpValue] : undefined
}
