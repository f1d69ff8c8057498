// Refuses invalid variables at start. Otherwise they would be ignored, or fail on first use.

import { ServerFault } from '@bridle/system/server-fault'
import type { ValueKind } from '../option-problem.ts'
import { settingRows, variablesOf } from '../settings.ts'

const variablesOfKind = (kind: ValueKind): readonly string[] =>
  settingRows.filter(([, row]) => row.kind === kind && row.on.includes('node')).flatMap(variablesOf)

export const checkVariables = (env: NodeJS.ProcessEnv): void => {
  for (const name of variablesOfKind('flag')) {
    const value = env[name]
    if (value && value !== '0' && value !== '1')
      throw new ServerFault('variable_invalid', `${name} is "${value}"; it may be 1 or 0.`)
  }
  for (const name of variablesOfKind('address')) {
    const value = env[name]
    // Never show the value: a URL may contain a password.
    if (value && !(URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)))
      throw new ServerFault('variable_invalid', `${name} is no address; it begins with http:// or https://.`)
  }
}
