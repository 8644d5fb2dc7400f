import type {Config} from './config.js'

/** The options of `drv config`: settings that apply to all profiles. */

export interface ConfigOption {
  readonly name: string
  readonly summary: string
  readonly fallback: string
  /** The allowed values, for errors. */
  readonly allowed: string
  read(config: Config): string | undefined
  /** The configuration with the option set to a text, or unset; `undefined` for an invalid text. */
  write(config: Config, text: string | undefined): Config | undefined
}

/** Maximum number of days for which the history can be kept. */
const MOST_DAYS = 36_500

export const CONFIG_OPTIONS: readonly ConfigOption[] = [
  {
    name: 'history.days',
    summary: 'Number of days to keep the history',
    fallback: '90',
    allowed: 'an integer from 1 to 36500',
    read: ({history}) => history?.days?.toString(),
    write(config, text) {
      if (text === undefined) return {...config, history: {...config.history, days: undefined}}
      const days = Number(text)
      const isValid = /^\d+$/.test(text) && days > 0 && days <= MOST_DAYS
      return isValid ? {...config, history: {...config.history, days}} : undefined
    },
  },
  {
    name: 'history.full',
    summary: 'Read the state before every change, so that `drv undo` can undo more changes',
    fallback: 'false',
    allowed: 'true or false',
    read: ({history}) => history?.full?.toString(),
    write(config, text) {
      if (text === undefined) return {...config, history: {...config.history, full: undefined}}
      const isValid = text === 'true' || text === 'false'
      return isValid ? {...config, history: {...config.history, full: text === 'true'}} : undefined
    },
  },
]

/** An option by name; `undefined` for an unknown name. */
export function configOption(name: string): ConfigOption | undefined {
  return CONFIG_OPTIONS.find(option => option.name === name)
}
