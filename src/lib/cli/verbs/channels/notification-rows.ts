import type {Row} from '#lib/cli/output/format.js'
import type {ChannelNotification} from '#lib/follow/receiver.js'

export const NOTIFICATION_COLUMNS = ['time', 'state', 'file', 'changed', 'number', 'channel']

/** The row of a notification; `file` as named on the command line. */
export function notificationRow(
  {channel, state, changed, number}: ChannelNotification,
  {time, file}: {readonly time: number; readonly file?: string},
): Row {
  return {
    time: new Date(time).toISOString(),
    state,
    ...(file !== undefined && {file}),
    ...(changed.length > 0 && {changed}),
    ...(number !== undefined && {number}),
    channel,
  }
}
