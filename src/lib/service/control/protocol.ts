/** The path of control requests. Without the secret, the response is that for an unknown path. */
export const CONTROL_PATH = '/.drv/control'

/** The header with the secret. */
export const CONTROL_HEADER = 'x-drv-control'

/** Thrown to refuse a command; the message is for the user. */
export class ControlError extends Error {}
