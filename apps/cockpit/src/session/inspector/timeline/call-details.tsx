// A call opened: its facts, its arguments and its result.

import { durationText } from 'bridle/words'
import { Link } from 'wouter'
import { useServer } from '../../../server/server-context.tsx'
import { useLoaded } from '../../../server/use-loaded.ts'
import { inboxPath } from '../../../shell/paths.ts'
import { secondText } from '../../../ui/clock.ts'
import { Code, JsonCode } from '../../../ui/code.tsx'
import { visibleText } from '../../../ui/plain-text.ts'
import { useSession } from '../../session-context.tsx'
import { Facts } from '../facts.tsx'
import type { Call } from './call.ts'
import { callLook } from './call-look.ts'
import { CallQuestion } from './call-question.tsx'

export const CallDetails = ({ call }: { readonly call: Call }) => {
  const { id, agent, detail } = useSession()
  const approval = detail.approvals.find(({ toolCallId }) => toolCallId === call.toolCallId)
  return (
    <div className="call-details">
      <Facts
        facts={[
          ['Call', <code key="id">{visibleText(call.toolCallId)}</code>],
          ['Outcome', `${callLook(call).word}${call.outcome === null ? '' : `, ${call.outcome.outcome_type}`}`],
          ['Took', call.durationMs === null ? null : durationText(call.durationMs)],
          ['Exit code', call.outcome?.exit_code],
          ['From', secondText(call.beganAt)],
          ['Decision', call.decision],
          ['Effect', call.effect],
          ['Wave', call.wave],
          ['Events', call.seq === call.lastSeq ? String(call.seq) : `${call.seq} to ${call.lastSeq}`],
        ]}
      />
      {approval && call.status === 'waiting' && (
        <p className="small">
          <Link href={inboxPath({ id: approval.id, sessionId: id, agent })}>
            {call.question ? 'Answer the question' : 'Answer the approval'}
          </Link>
        </p>
      )}
      {call.error !== null && <p className="danger small">{visibleText(call.error)}</p>}
      {call.question ? (
        <CallQuestion question={call.question} />
      ) : (
        <>
          {call.arguments !== null && <JsonCode label="Arguments" value={ownArguments(call.arguments)} />}
          <CallResult value={call.result} />
        </>
      )}
    </div>
  )
}

/** The wire repeats the id of the call among its arguments; the agent did not write that. */
export const ownArguments = ({ _tool_call_id, ...given }: NonNullable<Call['arguments']>) => given

export const CallResult = ({ value }: { readonly value: unknown }) => {
  if (value === undefined || value === null) return null
  const artifact = artifactOf(value)
  if (artifact) return <ArtifactResult {...artifact} />
  return typeof value === 'string' ? <Code label="Result" text={value} /> : <JsonCode label="Result" value={value} />
}

/** A result that is too large for the stream is an artifact of the session. */
const ArtifactResult = ({ artifactId, preview }: { readonly artifactId: string; readonly preview: string }) => {
  const { client } = useServer()
  const { id, agent } = useSession()
  const { data } = useLoaded(artifactId, async () => (await client.artifact(id, artifactId, agent)).text())
  return <Code label="Result" text={data ?? preview} />
}

const artifactOf = (value: unknown): { artifactId: string; preview: string } | null => {
  if (typeof value !== 'object' || value === null) return null
  const { artifact_id: artifactId, preview } = value as { readonly [name: string]: unknown }
  return typeof artifactId === 'string' && typeof preview === 'string' ? { artifactId, preview } : null
}
