import { Button } from '../../ui/button.tsx'
import { useHarnessList, useThreadSource } from '../thread/thread-context.tsx'
import { useActs } from '../use-acts.ts'
import { queuedPrompts } from './queued-prompts.ts'
import { stopWords } from './stop-words.ts'

interface StopButtonProps {
  readonly isOff: boolean
  /** The reason why the button is off. */
  readonly offWhy?: string
  readonly keyHint?: string
  readonly onStopped?: () => void
}

export const StopButton = ({ isOff, offWhy, keyHint, onStopped }: StopButtonProps) => {
  const { stop } = useActs()
  const { kind } = useThreadSource()
  const { more, title } = stopWords(kind, useHarnessList(queuedPrompts).length)
  return (
    <Button
      icon="square"
      look={kind === 'background' ? 'no' : 'plain'}
      isDisabled={isOff}
      title={offWhy ?? title}
      {...(keyHint !== undefined && { keyHint })}
      onClick={() => void stop().then(onStopped)}
    >
      <span>Stop{more !== '' && <span className="stop-more">{more}</span>}</span>
    </Button>
  )
}
