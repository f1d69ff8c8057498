// A call where it stands: its row, or the question whether it may run, with the markers around it.
import type { HarnessToolCall } from 'bridle/client'
import { ApprovalPlace } from './approval-place.tsx'
import { Anchored } from './markers/anchored.tsx'
import { useThreadIndex } from './thread-context.tsx'
import { callAnchor, callKey, type TurnMarkers } from './thread-index.ts'
import { ToolRow } from './tools/tool-row.tsx'

interface CallPartProps {
  readonly call: HarnessToolCall
  readonly runId: string | undefined
  readonly isOver: boolean
  readonly markers: TurnMarkers
}

export const CallPart = ({ call, runId, isOver, markers }: CallPartProps) => {
  const { calls, waves } = useThreadIndex()
  const key = callKey(runId, call.id)
  const isAsked = call.approval?.status === 'pending' && !isOver && !call.superseded
  return (
    <Anchored markers={markers} anchor={callAnchor(call.id)}>
      {isAsked && call.approval ? (
        <ApprovalPlace approvalId={call.approval.id} />
      ) : (
        <ToolRow call={call} times={calls.get(key)} wave={waves.get(key)} isOver={isOver} />
      )}
    </Anchored>
  )
}
