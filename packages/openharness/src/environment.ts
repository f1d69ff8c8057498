import { ShellFault } from './messages/fault.ts'
import type { ShellEnvironment } from './messages/request.ts'
import type { ShellOptions } from './options.ts'

/** A retry follows soon or never, so only recent requests need their environment kept. */
export const ENVIRONMENTS_MAX = 20

export type EnvironmentReader = (requestId: string) => Promise<ShellEnvironment | undefined>

/** A retry must send the environment of the first attempt. The engine refuses a changed request with the same id. */
export const createEnvironmentReader = ({ environment }: ShellOptions): EnvironmentReader => {
  const earlier = new Map<string, ShellEnvironment>()
  return async (requestId) => {
    if (typeof environment !== 'function') return environment
    const state = earlier.get(requestId) ?? (await read(environment))
    earlier.set(requestId, state)
    for (const id of earlier.keys()) if (earlier.size > ENVIRONMENTS_MAX) earlier.delete(id)
    return state
  }
}

const read = async (environment: () => ShellEnvironment | Promise<ShellEnvironment>): Promise<ShellEnvironment> => {
  try {
    return structuredClone(await environment())
  } catch (cause) {
    const text = 'The environment could not be read: the cause has the reason.'
    throw new ShellFault('invalid_options', text, { cause, field: 'environment' })
  }
}
