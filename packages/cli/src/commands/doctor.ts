import { createServer } from 'node:net'
import { FabricError } from '@bridle/client/http/error'
import type { AgentStatus, FabricClient } from '@bridle/client/index'
import type { EngineRow } from '@bridle/runners/index'
import type { ServerOptions } from '@bridle/server/node/index'
import { loadOpenTelemetry, type TracingState, tracingProblem, tracingState } from '@bridle/server/node/open-telemetry'
import { describeStore } from '@bridle/server/node/store-setting'
import { clientOptions, defineCommand, EXIT_CODES, outputOptions } from '../command/command.ts'
import { agentsOptions, dataOptions } from '../command/setting-flags.ts'
import { NO_ANSWER, PROXY_ERROR } from '../config/bridle-fetch.ts'
import { findDamagedLog, inspectDataFolder } from '../config/data-folder.ts'
import { serverOfFolder } from '../config/local-server.ts'
import { openAddresses, proxyAddresses } from '../config/proxy-search.ts'
import { isLocalUrl } from '../config/server-url.ts'
import { createClient, namedUrl, serverAddress, serverSettings } from '../config/settings.ts'
import { explainError } from '../errors/explain-error.ts'
import { escapeControls } from '../terminal/output.ts'
import { behindLabel, wrapWords } from '../terminal/text-lines.ts'

export interface DoctorFinding {
  readonly check: string
  readonly state: 'ok' | 'note' | 'wrong'
  readonly detail: string
}

export const doctor = defineCommand({
  options: { ...clientOptions, ...agentsOptions, ...dataOptions, ...outputOptions },
  notes: 'Exit code 1 when something is wrong.',
  run: async ({ flags, env, out }) => {
    const settings = await serverSettings(flags, env)
    const { data, store = 'sqlite' } = settings
    const address = await serverAddress(flags, env)
    // No remark about the server, because it is one of the findings.
    const { url, authToken } = address
    const fabric = await createClient(flags, env, { url, authToken })
    const isNamed = namedUrl(flags, env) !== null
    const server = await serverFindings(fabric, url, isNamed)
    const at = server.isBridle && !isNamed ? ofThisFolder(server, url, data) : server
    // Imported lazily: it loads the agents' code.
    const { agentFileFindings } = await import('../config/agent-file-findings.ts')
    // A server on another machine has other files.
    const files = at.isBridle && !isLocalUrl(url) ? [] : await agentFileFindings(settings, env)
    const findings = [
      nodeFinding(process.versions.node),
      folderFinding(data, at.isBridle),
      ...damageFindings(data),
      storeFinding(at.store ?? (typeof store === 'string' ? store : 'of bridle.config.ts'), data),
      ...at.findings,
      await tokenFinding(fabric, address.tokenFrom, at.isBridle),
      ...(at.isBridle && at.agents.length > 0 && address.tokenFrom === null && isLocalUrl(url)
        ? proxyFindings(at.proxiedRequests, await openAddresses(proxyAddresses()))
        : []),
      ...tracingFindings(tracingState(await loadOpenTelemetry())),
      ...(at.isBridle
        ? servedFindings(at.agents, files)
        : [...files, ...(await engineFindings(env)), ...unlessReplaced(await assistantFinding(env, settings), files)]),
    ]
    const marks = { ok: out.style('green', '✓'), note: out.style('yellow', '!'), wrong: out.style('red', '✗') }
    const width = Math.max(...findings.map(({ check }) => check.length))
    for (const finding of findings) {
      if (out.isJson) out.row(finding)
      else {
        const label = `${marks[finding.state]} ${finding.check.padEnd(width)}  `
        const lines = wrapWords(escapeControls(finding.detail), out.width - width - 4)
        behindLabel(label, lines, width + 4).forEach(out.line)
      }
    }
    return findings.some(({ state }) => state === 'wrong') ? EXIT_CODES.failed : EXIT_CODES.ok
  },
})

const NODE_LEAST = '22.18'

const nodeFinding = (version: string): DoctorFinding => {
  const isNew = version.localeCompare(NODE_LEAST, 'en', { numeric: true }) >= 0
  const detail = isNew ? version : `${version} is too old; Bridle needs ${NODE_LEAST} or newer`
  return { check: 'Node', state: isNew ? 'ok' : 'wrong', detail }
}

const folderFinding = (data: string, isServed: boolean): DoctorFinding => {
  const check = 'data folder'
  const found = inspectDataFolder(data)
  switch (found.state) {
    case 'absent':
      return { check, state: 'ok', detail: `${data} will be made` }
    case 'free':
      return { check, state: 'ok', detail: `${data} is writable and free` }
    case 'unusable':
      return { check, state: 'wrong', detail: `${data} cannot be used: ${found.why}` }
    case 'owned': {
      const owner = found.pid === null ? 'another process' : `process ${found.pid}`
      // Fine if the folder's server responds. Otherwise its sessions are unreachable from here.
      if (isServed) return { check, state: 'ok', detail: `${data} is in use by ${owner}` }
      return { check, state: 'note', detail: `${data} is in use by ${owner}, which does not answer at this URL` }
    }
  }
}

const storeFinding = (name: string, data: string): DoctorFinding => ({
  check: 'store',
  state: 'ok',
  detail: describeStore(name, data),
})

export const tracingFindings = (state: TracingState): DoctorFinding[] => {
  const check = 'OpenTelemetry'
  const problem = tracingProblem(state)
  if (problem !== null) return [{ check, state: 'wrong', detail: problem }]
  return state === 'SDK registered' ? [{ check, state: 'ok', detail: 'spans reach the registered SDK' }] : []
}

const damageFindings = (data: string): DoctorFinding[] => {
  const found = findDamagedLog(data)
  if (!found) return []
  const detail = `commits were lost by ${found.at.toISOString()}; ${found.file} is a copy of the damaged log. Restore a backup if you need them, then remove the copy.`
  return [{ check: 'lost commits', state: 'note', detail }]
}

export interface ServerDiagnosis {
  readonly isBridle: boolean
  readonly findings: readonly DoctorFinding[]
  readonly agents: readonly AgentStatus[]
  /** The server's store. Null if there is no server or it does not report one. */
  readonly store: string | null
  readonly proxiedRequests: number
}

const diagnosisOf = (state: DoctorFinding['state'], detail: string): ServerDiagnosis => ({
  isBridle: false,
  findings: [{ check: 'server', state, detail }],
  agents: [],
  store: null,
  proxiedRequests: 0,
})

const serverFindings = async (fabric: FabricClient, url: string, isNamed: boolean): Promise<ServerDiagnosis> => {
  try {
    // Without a token, the response says only that the server is ready.
    const { ready, agents = [], workspace } = await fabric.ready()
    if (ready !== true || !Array.isArray(agents))
      return diagnosisOf('wrong', `what answers at ${url} is no Bridle server`)
    return {
      ...diagnosisOf('ok', `Bridle answers at ${url}`),
      isBridle: true,
      agents,
      store: typeof workspace?.store === 'string' ? workspace.store : null,
      proxiedRequests: Number(workspace?.proxiedRequests ?? 0),
    }
  } catch (error) {
    if (error instanceof FabricError && [NO_ANSWER, PROXY_ERROR].includes(error.type))
      return diagnosisOf('wrong', error.message)
    if (!(error instanceof FabricError) || error.status !== 0)
      return diagnosisOf('wrong', `what answers at ${url} is no Bridle server`)
    if (isNamed) return diagnosisOf('wrong', explainError(error).message)
    const isFree = await canListen(url)
    return isFree
      ? diagnosisOf('ok', `none at ${url}; the port is free`)
      : diagnosisOf('wrong', `the port of ${url} is taken by something that does not speak HTTP`)
  }
}

/** Ignores an unnamed server that uses another data folder. */
export const ofThisFolder = (diagnosis: ServerDiagnosis, url: string, data: string): ServerDiagnosis =>
  serverOfFolder(data) !== null
    ? diagnosis
    : diagnosisOf(
        'note',
        `none of this folder. The one at ${url} has another data folder: start here with another --port, or name it with --url`,
      )

const tokenFinding = async (fabric: FabricClient, from: string | null, isBridle: boolean): Promise<DoctorFinding> => {
  const check = 'token'
  const isRefused = isBridle && (await fabric.sessions({ limit: 1 }).then(() => false, isUnauthorized))
  if (isRefused && from) return { check, state: 'wrong', detail: `the server refuses the one in ${from}` }
  if (isRefused) return { check, state: 'wrong', detail: 'the server wants one: set FABRIC_HARNESS_API_TOKEN' }
  if (from) return { check, state: 'ok', detail: `set by ${from}` }
  return { check, state: 'ok', detail: 'none; only this machine may ask' }
}

/** A server without a token must not be behind a proxy, and some proxies look like local programs. */
export const proxyFindings = (refused: number, open: readonly string[]): DoctorFinding[] => {
  const check = 'proxy'
  const advice = 'Start the server with --token'
  const reached = open.map(
    (address): DoctorFinding => ({
      check,
      state: 'wrong',
      detail: `${address} passes requests of the network on to a server without a token: whoever reaches it may run its agents. ${advice}`,
    }),
  )
  if (reached.length > 0 || refused === 0) return reached
  const detail = `the server refused ${refused} ${refused === 1 ? 'request' : 'requests'} that a proxy passed on, since it has no token. ${advice}`
  return [{ check, state: 'note', detail }]
}

const isUnauthorized = (error: unknown): boolean => error instanceof FabricError && error.status === 401

const agentFinding = (agent: AgentStatus): DoctorFinding => {
  const { name, description, available, needs, closed, credential } = agent
  const check = `agent ${name}`
  if (!available) return { check, state: 'note', detail: `not available: ${needs ?? 'it does not say why'}` }
  if (closed !== undefined) return { check, state: 'note', detail: closed }
  return { check, state: 'ok', detail: credential ? `${description} With ${credential}.` : description }
}

/** The server's agents, replaced by findings about the local files that it refuses. */
const servedFindings = (served: readonly AgentStatus[], files: readonly DoctorFinding[]): readonly DoctorFinding[] => {
  const refused = files.filter(({ state }) => state === 'wrong')
  const others = served.filter(({ needs }) => !refused.some(({ detail }) => detail === needs))
  return [...others.map(agentFinding), ...refused]
}

const unlessReplaced = (assistant: DoctorFinding, files: readonly DoctorFinding[]): readonly DoctorFinding[] =>
  files.some(({ check }) => check === assistant.check) ? [] : [assistant]

export const assistantFinding = async (
  env: NodeJS.ProcessEnv,
  { models, agents, agentsRoot }: Pick<ServerOptions, 'models' | 'agents' | 'agentsRoot'>,
): Promise<DoctorFinding> => {
  const { ASSISTANT, createAssistant } = await import('@bridle/server/models/assistant')
  const { createModelSource } = await import('@bridle/server/models/model-source')
  const { nodePackages, packagesFolder } = await import('@bridle/server/models/node-packages')
  const packages = nodePackages(packagesFolder(agents, agentsRoot))
  const assistant = createAssistant(env, createModelSource({ models, env, packages }), 'node')
  const check = `agent ${ASSISTANT}`
  const needs = assistant.needs()
  if (needs !== null) return { check, state: 'note', detail: `not available: ${needs}` }
  return { check, state: 'ok', detail: [`BRIDLE_MODEL is ${env.BRIDLE_MODEL}.`, ...assistant.problems()].join(' ') }
}

export const engineFindings = async (
  env: NodeJS.ProcessEnv,
  registry?: readonly EngineRow[],
): Promise<DoctorFinding[]> => {
  const { engineRegistry } = await import('@bridle/runners/index')
  const { findCredential } = await import('@bridle/runners/credentials/server-credential')
  const findingOf = async ({ name, create }: EngineRow): Promise<DoctorFinding> => {
    const check = `engine ${name}`
    try {
      const engine = create(env)
      const { info, provider } = engine
      const missing = await engine.needs()
      if (missing !== null) return { check, state: 'note', detail: missing }
      const found = findCredential(provider, { env, loginRefusal: null, nowMs: Date.now() })
      if ('missing' in found) return { check, state: 'note', detail: `${info.version}; to use it: ${found.missing}` }
      return { check, state: 'ok', detail: `${info.version}, with ${found.name}` }
    } catch (error) {
      // A broken engine must not hide the others.
      return { check, state: 'wrong', detail: error instanceof Error ? error.message : String(error) }
    }
  }
  const engines = await Promise.all((registry ?? engineRegistry).map(findingOf))
  return [...engines, await sandboxFinding(env)]
}

const sandboxFinding = async (env: NodeJS.ProcessEnv): Promise<DoctorFinding> => {
  const { resolveIsolation } = await import('@bridle/runners/index')
  const check = 'sandbox'
  return resolveIsolation({ backend: env.BRIDLE_SANDBOX }).then(
    ({ isContained, notice }): DoctorFinding =>
      isContained
        ? { check, state: 'ok', detail: `${notice.resolvedBackend}: ${notice.isolation}` }
        : { check, state: 'note', detail: `no walls around engines: ${notice.reason}` },
    (error: Error): DoctorFinding => ({ check, state: 'note', detail: error.message }),
  )
}

const canListen = (url: string): Promise<boolean> => {
  const { hostname, port } = new URL(url)
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(Number(port) || 80, hostname.replace(/^\[|\]$/g, ''), () => server.close(() => resolve(true)))
  })
}
