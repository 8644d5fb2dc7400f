import {readConfig} from '#lib/config/config.js'
import {resolveSettings, type Settings, type SettingsFlags} from '#lib/config/settings.js'

/** The settings from flags, environment, profile and the policy file. `directory` is that of the configuration. */
export async function readSettings(
  flags: SettingsFlags,
  env: NodeJS.ProcessEnv,
  directory: string | undefined,
): Promise<Settings> {
  const config = await readConfig(directory)
  const {DRV_POLICY: path} = env
  if (!path) return resolveSettings({flags, env, config})
  const {readPolicyFile} = await import('#lib/config/policy-file.js')
  return resolveSettings({flags, env, config, policyFile: await readPolicyFile(path)})
}
