import { present } from '@bridle/events/json'
import type { AgentInfo } from '@bridle/kernel/agent-info'
import type { VoiceLines } from '@bridle/kernel/ports/voice'
import type {
  AgentDescription,
  AgentList,
  AgentStatus,
  BuildList,
  CallerIdentity,
  EngineList,
  EngineStatus,
  Liveness,
  Readiness,
} from '@bridle/wire/http/wire'
import { tokenOf } from '../access/authenticate.ts'
import { type ExposureCall, mayListAgents, refusePrivateAgent } from '../access/exposure.ts'
import { callerOf } from '../access/proxy-headers.ts'
import { json } from '../answers/answer-schema.ts'
import {
  agentListAnswer,
  buildListAnswer,
  callerAnswer,
  engineListAnswer,
  livenessAnswer,
  metricsAnswer,
  notReadyAnswer,
  readyAnswer,
} from '../answers/server-answers.ts'
import { isDenial } from '../denials/denial.ts'
import { metricsText } from './metrics.ts'
import { get, type Route } from './route.ts'

export const probeRoutes: readonly Route[] = [
  get('/health', {
    scope: 'open',
    summary: 'Answers while the server is alive',
    call: 'health',
    answers: { 200: livenessAnswer },
    handle: () => json<Liveness>({ ok: true }),
  }),
  get('/ready', {
    scope: 'open',
    summary: 'The agents of the server, and whether the server takes requests',
    call: 'ready',
    answers: { 200: readyAnswer, 503: notReadyAnswer },
    handle: async ({ c, request, ports }) => {
      const message = ports.notReadyReason?.() ?? null
      const ready = message === null
      // A probe without a credential only learns whether the server is ready.
      const caller = callerOf(ports, request, ports.callerAddress?.(c) ?? '', ports.httpVersion?.(c))
      const access = await ports.authenticator.authenticate(caller.request, caller.address)
      // Apply the backoff for wrong tokens, but always answer probes, which have none.
      const isGuess = tokenOf(caller.request) !== null
      if (isDenial(access) && access.denied === 'rate_limited' && isGuess) return access
      if (isDenial(access)) return json<Readiness>({ ready }, { status: ready ? 200 : 503 })
      const proxied = ports.authenticator.refusedForwarded?.() ?? 0
      const body: Readiness = {
        ready,
        ...(message !== null && { message }),
        workspace: { ...ports.workspace, ...(proxied > 0 && { proxiedRequests: proxied }) },
        ...(mayListAgents(access) && { agents: [...ports.agents.values()].map(agentStatus({ access, ports })) }),
      }
      return json<Readiness>(body, { status: ready ? 200 : 503 })
    },
  }),
  get('/me', {
    scope: 'observe',
    summary: 'The user, tenants and scopes of the caller’s credential',
    call: 'me',
    answers: { 200: callerAnswer },
    handle: ({ access: { user, tenant, tenants, scopes, isOpen = false, isTicket } }) =>
      json<CallerIdentity>({
        ...{ user, tenant, scopes, isOpen },
        // A ticket keeps its buyer's tenant.
        tenants: isTicket ? [tenant] : (tenants ?? []),
      }),
  }),
  get('/agents', {
    scope: 'observe',
    summary: 'The agents of the server, with what each needs and takes',
    call: 'agents',
    answers: { 200: agentListAnswer },
    handle: ({ access, ports }) => {
      const statusOf = agentStatus({ access, ports })
      const describe = (agent: AgentInfo) => agentDescription(agent, statusOf(agent), ports.voice)
      return json<AgentList>({ agents: [...ports.agents.values()].map(describe) })
    },
  }),
  get('/engines', {
    scope: 'observe',
    summary: 'The engines of the server, with what each can report',
    call: 'engines',
    answers: { 200: engineListAnswer },
    handle: ({ ports }) =>
      json<EngineList>({ engines: [...ports.agents.values()].filter(isFirstOfEngine).flatMap(engineRows) }),
  }),
  get('/builds', {
    scope: 'observe',
    summary: 'The builds that `bridle build` made on the server’s machine',
    call: 'builds',
    answers: { 200: buildListAnswer },
    handle: ({ ports }) => json<BuildList>({ builds: ports.builds?.() ?? [] }),
  }),
  get('/metrics', {
    scope: 'observe',
    concerns: 'server',
    summary: 'The metrics of the server, for Prometheus',
    call: 'metrics',
    answers: { 200: metricsAnswer },
    handle: async ({ ports }) =>
      new Response(await metricsText(ports), { headers: { 'content-type': 'text/plain; version=0.0.4' } }),
  }),
]

const agentStatus =
  (call: ExposureCall) =>
  ({ name, description, webhook, needs, credential, warnings }: AgentInfo): AgentStatus => ({
    name,
    description,
    available: needs === null,
    ...present({
      needs: needs ?? undefined,
      closed: refusePrivateAgent(call, name)?.message,
      credential: credential ?? undefined,
      warnings,
    }),
    triggers: { webhook },
  })

const agentDescription = (agent: AgentInfo, status: AgentStatus, lines: VoiceLines | undefined): AgentDescription => ({
  ...status,
  engine: agent.engine,
  runner_kind: agent.runnerKind,
  ...present({
    capabilities: agent.capabilities,
    models: agent.models,
    model_choices: agent.modelChoices,
    efforts: agent.efforts,
  }),
  input_schema: agent.inputSchema?.() ?? null,
  voice: lines?.kindOf?.(agent.name) ?? null,
})

/** Each engine gets one row, even if several agents use it. The built-in agent comes first. */
const isFirstOfEngine = ({ engine }: AgentInfo, at: number, all: readonly AgentInfo[]): boolean =>
  all.findIndex((each) => each.engine === engine) === at

const engineRows = ({ name, capabilities, needs }: AgentInfo): readonly EngineStatus[] =>
  capabilities ? [{ ...capabilities, agent: name, available: needs === null, ...(needs !== null && { needs }) }] : []
