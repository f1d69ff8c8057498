// Each session has its own container. The bound class extends the platform's `Container` and lives in the app, which has that
// dependency.
import { type Key, keyText } from '@bridle/kernel/event'
import type { RunnerHealth } from '@bridle/runners/protocol/protocol'
import type { RunnerFetch, Sandbox, SandboxProvider } from '@bridle/runners/remote/provider'
import { askHealth, putEnv } from '@bridle/runners/sandboxes/runner-calls'
import type { ObjectNamespace, ObjectStub } from '@bridle/stores/object/platform-types'

/** A running container answers at once; a starting one is asked again on the next attempt. */
const CONTAINER_HEALTH_MS = 5_000

export interface ContainerStub extends ObjectStub {
  getState(): Promise<{ readonly status: string }>
  startAndWaitForPorts(options: { startOptions: { envVars: { [name: string]: string } } }): Promise<void>
  stop(): Promise<void>
  destroy(): Promise<void>
}

/** The host is ignored: a container's `fetch` only reaches that container. */
const URL_INSIDE = 'http://sandbox'
const PREFIX = 'container:'
const UP = new Set(['running', 'healthy'])

/** `token` derives the runner's bearer token from the session, so that it survives a restart of the object. */
export const containerSandboxes = (
  containers: ObjectNamespace<ContainerStub>,
  token: (key: Key) => Promise<string>,
): SandboxProvider => {
  const of = (name: string): ContainerStub => containers.get(containers.idFromName(name))
  const reach =
    (name: string): RunnerFetch =>
    (url, init) =>
      of(name).fetch(new Request(url, init))
  const health = (name: string): Promise<RunnerHealth | null> => askHealth(URL_INSIDE, CONTAINER_HEALTH_MS, reach(name))
  /** Any request would start a stopped container, so check its state first. */
  const upHealth = async (name: string): Promise<RunnerHealth | null> =>
    UP.has((await of(name).getState()).status) ? health(name) : null
  const sandbox = async (key: Key, { instance }: RunnerHealth): Promise<Sandbox> => ({
    id: `${PREFIX}${keyText(key)}:${instance ?? ''}`,
    hasRunEnv: instance !== undefined,
    url: URL_INSIDE,
    fetch: reach(keyText(key)),
    token: await token(key),
    notice: { requestedBackend: 'container', resolvedBackend: 'container', isolation: 'vm' },
  })

  return {
    async acquire(key, _parent, vars) {
      const name = keyText(key)
      const there = await upHealth(name)
      if (there?.ok) return sandbox(key, there)
      const variables = Object.entries((await vars?.()) ?? {}).filter(
        (each): each is [string, string] => each[1] !== null,
      )
      const envVars = { BRIDLE_RUNNER_TOKEN: await token(key), ...Object.fromEntries(variables) }
      await of(name).startAndWaitForPorts({ startOptions: { envVars } })
      const started = await health(name)
      if (!started?.ok) throw new Error('The container was started, and its runner does not answer. Look at its logs.')
      return sandbox(key, started)
    },
    async find(id) {
      const key = keyIn(id)
      const there = key && (await upHealth(keyText(key)))
      const found = key && there && (await sandbox(key, there))
      return found?.id === id ? found : null
    },
    async findOwn(key) {
      const there = await upHealth(keyText(key))
      return there?.ok ? sandbox(key, there) : null
    },
    health: ({ fetch: inside }) => askHealth(URL_INSIDE, CONTAINER_HEALTH_MS, inside),
    setEnvVars: (there, vars) => putEnv(there, vars),
    stop: async ({ id }) => {
      const key = keyIn(id)
      if (key) await of(keyText(key)).stop()
    },
    forget: async (key) => {
      if (UP.has((await of(keyText(key)).getState()).status)) await of(keyText(key)).destroy()
    },
  }
}

/** An id is the session key plus the runner's instance. Keys contain no slash. */
const keyIn = (id: string): Key | null => {
  const [tenant, agent, rest] = id.startsWith(PREFIX) ? id.slice(PREFIX.length).split('/') : []
  if (!tenant || !agent || !rest) return null
  return { tenant, agent, id: rest.slice(0, rest.lastIndexOf(':')) }
}
