// Prompts above the composer: those that wait for their turn, and those that wait for the connection.
import type { HarnessMessage, HeldPrompt } from 'bridle/client'
import { useCan } from '../../server/use-can.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { fileNames } from '../thread/file-names.ts'
import { useHarnessList, useThreadSource } from '../thread/thread-context.tsx'
import { useActs } from '../use-acts.ts'
import { queuedPrompts } from './queued-prompts.ts'

/** Characters of a prompt that waits, which has one line: its turn shows all of it. */
const QUEUED_CHARS = 300

export const WaitingPrompts = ({ held }: { readonly held: readonly HeldPrompt[] }) => {
  const queued = useHarnessList(queuedPrompts)
  const { harness } = useThreadSource()
  return (
    <div className="scroll queued">
      {queued.map((message, at) => (
        <QueuedPrompt key={message.id} message={message} place={at + 1} />
      ))}
      {held.map(({ id, prompt }) => (
        <div key={id} className="queue">
          <Icon name="hourglass" size={14} />
          <span className="nowrap medium">Held on this device</span>
          <span className="trunc">{lineOf(prompt)}</span>
          <span className="right nowrap t3 no-phone">sent once, when it is back</span>
          <Button look="ghost" onClick={() => harness.discard(id)}>
            Discard
          </Button>
        </div>
      ))}
    </div>
  )
}

const QueuedPrompt = ({ message, place }: { readonly message: HarnessMessage; readonly place: number }) => {
  const { unqueue } = useActs()
  const canOperate = useCan('operate')
  const { runId, content, input } = message
  const files = fileNames(input)
  return (
    <div className="queue" data-queued={message.id}>
      <Icon name="list-end" size={14} />
      <span className="nowrap medium">{place === 1 ? 'Next' : `Queued ${place}`}</span>
      <span className="trunc">{lineOf(content)}</span>
      {files.length > 0 && <span className="trunc t3">with {lineOf(files.join(', '))}</span>}
      {runId !== undefined && canOperate && (
        <span className="right">
          <IconButton name="x" label="Remove from the queue" onClick={() => void unqueue(runId)} />
        </span>
      )}
    </div>
  )
}

const lineOf = (text: string): string => visibleText(text.slice(0, QUEUED_CHARS).replace(/\s+/g, ' '))
