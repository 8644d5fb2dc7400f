import type {ManifestFlag} from '#lib/cli/help/manifest.js'

/** Values that people can begin with where a flag takes more than some words. */

const MOMENTS = ['today', 'yesterday', '1d', '7d', '30d', '1y']
const SIZES = ['100K', '1M', '10M', '100M', '1G']
const TYPES = ['folder', 'image', 'audio', 'video', 'doc', 'sheet', 'slides', 'text', 'archive']

/** By the name of the value in help. */
const BY_HELP_VALUE: Readonly<Record<string, readonly string[]>> = {
  '10M': SIZES,
  '5M': SIZES,
  '7d': MOMENTS,
  '1y': MOMENTS,
  TIME: MOMENTS,
  'docx,xlsx,pdf': ['docx', 'xlsx', 'pptx', 'pdf', 'html', 'txt', 'csv'],
  'N|head~N|ID': ['head~1'],
  'EMAIL|@DOMAIN|anyone': ['anyone'],
  ...{N: [], NUMBER: [], SECONDS: []},
}

/** By the name of the flag, where its value is called as others are. */
const BY_NAME: Readonly<Record<string, readonly string[]>> = {
  expires: ['7d', '30d', '90d'],
  'expiration-date': ['7d', '30d', '90d'],
  owner: ['me'],
  'modified-by': ['me'],
  type: TYPES,
}

/**
 * The values to begin with for a flag: none for a number, which nobody completes; `undefined` for a
 * flag of which nobody knows any. Pure.
 */
export function valueExamples(
  name: string,
  {helpValue = ''}: Pick<ManifestFlag, 'helpValue'>,
): readonly string[] | undefined {
  if (Object.hasOwn(BY_NAME, name)) return BY_NAME[name]
  return Object.hasOwn(BY_HELP_VALUE, helpValue) ? BY_HELP_VALUE[helpValue] : undefined
}
