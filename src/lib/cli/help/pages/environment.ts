import {GLOBAL_FLAGS, variableOf} from '#lib/cli/output/global-flags.js'
import type {Page} from './page.js'

/** A variable, or several of one meaning. */
interface Variables {
  readonly names: readonly string[]
  readonly words: string
}

/** Those of global flags, from their table. */
function globalVariables(isOfService: boolean): readonly Variables[] {
  const all = Object.entries(GLOBAL_FLAGS)
  return all.flatMap(([name, {variable}]) => {
    if (!variable || 'beside' in variable) return []
    if (Boolean(variable.isOfService) !== isOfService) return []
    const others = all.filter(([, {variable: other}]) => {
      return other && 'beside' in other && other.beside === name
    })
    return [
      {names: [name, ...others.map(([other]) => other)].map(variableOf), words: variable.words},
    ]
  })
}

/** Which service, and who is there. */
const SERVICE: readonly Variables[] = [
  {names: ['DRV_BASE_URL'], words: 'Address of the file service.'},
  {names: ['DRV_AUTH_URL'], words: 'Address of the authorization service.'},
  {names: ['DRV_CLIENT_ID'], words: "The app's client ID there."},
  {
    names: ['DRV_CLIENT_SECRET'],
    words: 'Its secret, for auth login --web and auth check.',
  },
  {names: ['DRV_TOKEN'], words: 'A token in place of the stored one; it is never stored.'},
  ...globalVariables(true),
]

/** What holds for every command; the flag of that name wins. */
const EVERY_COMMAND = globalVariables(false)

/** Where things lie, and what shows them. */
const MACHINE: readonly Variables[] = [
  {
    names: ['DRV_CONFIG_DIR'],
    words: 'Where the configuration is, instead of $XDG_CONFIG_HOME/drv.',
  },
  {
    names: ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME'],
    words: 'Where drv keeps what is its own, in a folder drv each.',
  },
  {names: ['DRV_PAGER', 'PAGER'], words: 'What shows long results; empty for nothing.'},
  {names: ['BROWSER'], words: 'What opens addresses.'},
  {names: ['NO_COLOR', 'FORCE_COLOR', 'CLICOLOR_FORCE'], words: 'No colours; colours in a pipe.'},
  {names: ['HTTPS_PROXY', 'NO_PROXY'], words: "Your company's proxy; hosts that need none."},
  {names: ['NODE_EXTRA_CA_CERTS'], words: "A file with your company's certificates."},
]

/** All variables that drv goes by, each with what it means. */
export const environmentVariables = [...SERVICE, ...EVERY_COMMAND, ...MACHINE].flatMap(
  ({names, words}) => names.map(name => ({name, words})),
)

const entries = (all: readonly Variables[]) =>
  all.map(({names, words}) => ({name: names.join(', '), words}))

export const environmentPage: Page = {
  name: 'environment',
  title: 'Variables that drv goes by',
  blocks: [
    {heading: 'WHICH SERVICE', entries: entries(SERVICE)},
    {heading: 'EVERY COMMAND', entries: entries(EVERY_COMMAND)},
    {heading: 'THIS MACHINE', entries: entries(MACHINE)},
    'A flag wins over its variable, and a variable over the profile. A variable of a flag without a value is on with 1 and off with 0. `drv auth status` shows which count.',
  ],
}
