/** What a new channel is where the command line does not say: a web hook with an ID of its own. */
export function channelDefaults(newId: () => string) {
  return {body: {id: newId(), type: 'web_hook'}}
}
