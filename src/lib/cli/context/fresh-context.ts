import type {Context} from './context.js'
import {createContext} from './create-context.js'

/**
 * A second context for a running command, with the same profile and service. It reads the sign-in anew, and works until
 * `signal` aborts, even after the command was interrupted. An embedded service is not started again. The caller must
 * close the context.
 */
export async function freshContext(context: Context, signal = context.signal): Promise<Context> {
  const {profile, baseUrl, authUrl} = await context.settings()
  const environment = {
    ...context.environment,
    DRV_PROFILE: profile,
    ...(baseUrl !== undefined && {DRV_BASE_URL: baseUrl, DRV_AUTH_URL: authUrl}),
  }
  return createContext({...context, environment, signal, stop() {}})
}
