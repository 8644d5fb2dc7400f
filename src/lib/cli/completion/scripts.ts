import type {Shell} from './answer.js'
import bash from './scripts/drv.bash?raw'
import fish from './scripts/drv.fish?raw'
import zsh from './scripts/drv.zsh?raw'

/** The scripts that have a shell ask drv what completes a line; `answerFor` says what it answers. */
export const scripts: Readonly<Record<Shell, string>> = {bash, zsh, fish}
