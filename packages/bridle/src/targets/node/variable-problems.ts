// Variables whose wrong value would be ignored, or fail at the first call: the server refuses them when it starts.
import { ServerFault } from '../server-fault.ts'

const SWITCHES = ['FABRIC_HARNESS_TENANT_REQUIRED', 'BRIDLE_VOICE_INSTRUCTIONS']
const ADDRESSES = ['ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL', 'BRIDLE_RUNNER_URL']

export const checkVariables = (env: NodeJS.ProcessEnv): void => {
  for (const name of SWITCHES) {
    const value = env[name]
    if (value && value !== '0' && value !== '1')
      throw new ServerFault('variable_invalid', `${name} is "${value}"; it may be 1 or 0.`)
  }
  for (const name of ADDRESSES) {
    const value = env[name]
    // The value is not in the message: an address may have a password.
    if (value && !(URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)))
      throw new ServerFault('variable_invalid', `${name} is no address; it begins with http:// or https://.`)
  }
}
