// Bridle in the real runtime, for tests.
import { fileURLToPath } from 'node:url'
import { bundleWorker, startWorkerd, type WorkerdProcess } from './workerd.suite.ts'
import type { WriteCrash } from './write-crashes.suite.ts'

let code: Promise<string> | null = null

export interface TestWorkerOptions {
  readonly vars?: { readonly [name: string]: string }
  readonly second?: { readonly [name: string]: string }
  readonly folder?: string
  /** Containers are bound. */
  readonly hasContainers?: boolean
  /** A bucket is bound. */
  readonly hasBucket?: boolean
}

export const startTestWorker = async ({
  hasContainers,
  hasBucket,
  ...options
}: TestWorkerOptions = {}): Promise<WorkerdProcess> => {
  code ??= bundleWorker(fileURLToPath(new URL('./worker.suite.ts', import.meta.url)))
  const objects = {
    HARNESS_SESSION: 'HarnessSession',
    HARNESS_DIRECTORY: 'HarnessDirectory',
    ...(hasContainers && { HARNESS_SANDBOX: 'TestContainer' }),
  }
  return startWorkerd({ code: await code, objects, ...(hasBucket && { buckets: ['HARNESS_ARTIFACTS'] }), ...options })
}

/** Sends a session's object to sleep; its sockets stay. */
export const evict = async (world: WorkerdProcess, id: string, agent?: string, tenant?: string): Promise<void> => {
  await ask(world, 'evict', id, agent, { ...(tenant && { tenant }) })
}

/** Ends this life of an object, as the platform does when it has to: its sockets go too. */
export const reset = async (world: WorkerdProcess, id: string, agent?: string): Promise<void> => {
  await ask(world, 'reset', id, agent)
}

/** The tenant's directory forgets everything. */
export const loseDirectory = async (world: WorkerdProcess, tenant = 'default'): Promise<void> => {
  await ask(world, 'lose', '', '', { tenant })
}

/** Ends this life of the object that keeps the signing secret. */
export const resetSecret = async (world: WorkerdProcess): Promise<void> => {
  await ask(world, 'reset-secret', '')
}

/** The signing secret, as that object has it. */
export const readSigningSecret = (world: WorkerdProcess): Promise<string> => ask(world, 'secret', '')

/** The object's alarm, twice. */
export const ringTwice = async (world: WorkerdProcess, id: string, agent?: string): Promise<void> => {
  await ask(world, 'ring', id, agent)
}

/** Which life of the object this is. */
export const incarnation = (world: WorkerdProcess, id: string, agent?: string): Promise<string> =>
  ask(world, 'incarnation', id, agent)

/** How often its alarm rang in this life. */
export const alarmCount = async (world: WorkerdProcess, id: string, agent?: string): Promise<number> =>
  Number(await ask(world, 'rings', id, agent))

/** From now on each write of the object throws this; '' = no longer. */
export const breakStorage = async (world: WorkerdProcess, id: string, message: string): Promise<void> => {
  await ask(world, 'break', id, 'scripted', { message })
}

/** The attachments of the object's sockets. */
export const attachments = async (world: WorkerdProcess, id: string, tenant?: string): Promise<unknown[]> =>
  JSON.parse(await ask(world, 'attachments', id, 'scripted', { ...(tenant && { tenant }) }))

/** Calls what its alarm calls, as another Worker that is bound to it would. */
export const callAlarm = async (world: WorkerdProcess, id: string, agent?: string): Promise<void> => {
  await ask(world, 'alarm', id, agent)
}

/** The calls that a session's container got. */
export const containerCalls = async (world: WorkerdProcess, id: string): Promise<string[]> =>
  JSON.parse(await ask(world, 'calls', id, 'claude'))

/** The environment that a session's container was started with. */
export const containerVars = async (world: WorkerdProcess, id: string): Promise<{ [name: string]: string }> =>
  JSON.parse(await ask(world, 'vars', id, 'claude'))

/** As the platform does when nobody asks it anything. */
export const stopContainer = async (world: WorkerdProcess, id: string): Promise<void> => {
  await ask(world, 'stop', id, 'claude')
}

/** The life of the object ends at a write of its session, counted from the first on over all lives. */
export const planCrash = async (
  world: WorkerdProcess,
  { id, agent }: { readonly id: string; readonly agent: string },
  { write, when }: WriteCrash,
): Promise<void> => {
  await ask(world, 'plan-crash', id, agent, { write: String(write), when })
}

/** The writes of a session so far, over all lives of its object. */
export const writeCount = async (world: WorkerdProcess, id: string, agent: string): Promise<number> =>
  Number(await ask(world, 'writes', id, agent))

/** The deeds of a durable agent, over all lives of its object. */
export const readLedger = async (world: WorkerdProcess, id: string): Promise<string[]> =>
  JSON.parse(await ask(world, 'ledger', id))

/** Whether it will be woken though nobody asks. */
export const hasAlarm = async (world: WorkerdProcess, id: string, agent?: string): Promise<boolean> =>
  (await ask(world, 'alarm-at', id, agent)) !== 'null'

/** The object answers no request any more. */
export const silenceObject = async (world: WorkerdProcess, id: string, agent?: string): Promise<void> => {
  await ask(world, 'silence', id, agent)
}

/** The contents of the bucket. */
export const bucketNames = async (world: WorkerdProcess): Promise<string[]> =>
  JSON.parse(await ask(world, 'bucket', ''))

/** Empties the bucket, as anybody with access to it may. */
export const emptyBucket = async (world: WorkerdProcess): Promise<void> => {
  await ask(world, 'empty-bucket', '')
}

/** The calls of the bucket that fail from here on. */
export const breakBucket = async (
  world: WorkerdProcess,
  failing: 'nothing' | 'put' | 'get' | 'delete',
): Promise<void> => {
  await ask(world, `break-bucket/${failing}`, '')
}

const ask = async (
  { url }: WorkerdProcess,
  what: string,
  id: string,
  agent = 'scripted',
  { tenant = 'default', ...more }: { readonly [name: string]: string } = {},
): Promise<string> => {
  const query = new URLSearchParams({ name: `${tenant}/${agent}/${id}`, ...more })
  const response = await fetch(`${url}/test/${what}?${query}`)
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text
}

/** Moves the moments of all objects away from the real ones. */
export const moveClock = async (world: WorkerdProcess, ms: number): Promise<void> => {
  await ask(world, 'clock', '', '', { ms: String(ms) })
}

/** Sends the object of a tenant's files, or of one file, to sleep. */
export const evictFiles = async (world: WorkerdProcess, name: string): Promise<void> => {
  await ask(world, 'evict-directory', '', '', { name })
}

/** Sends an object of a tenant's directory to sleep; its sockets stay. */
export const hibernateDirectory = async (world: WorkerdProcess, name: string): Promise<void> => {
  await ask(world, 'hibernate-directory', '', '', { name })
}

/** Calls what the alarm of a tenant's files calls. */
export const ringFiles = async (world: WorkerdProcess, tenant: string): Promise<void> => {
  await ask(world, 'directory-alarm', '', '', { name: `/files/${tenant}` })
}

/** The length of a file in its own object; null = that object has nothing. */
export const storedBytes = async (world: WorkerdProcess, id: string): Promise<number | null> =>
  JSON.parse(await ask(world, 'file-bytes', '', '', { name: `/file/${id}` }))
