import { type KeyboardEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'

interface EditPromptProps {
  readonly text: string
  readonly onKeep: () => void
  readonly onSend: (prompt: string) => Promise<void>
}

/** Another wording of a prompt. What came after the old one is replaced, so the button says so. */
export const EditPrompt = ({ text, onKeep, onSend }: EditPromptProps) => {
  const [prompt, setPrompt] = useState(text)
  const [isBusy, setBusy] = useState(false)
  const send = async (): Promise<void> => {
    if (prompt.trim() === '') return
    setBusy(true)
    await onSend(prompt)
    setBusy(false)
  }
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.stopPropagation()
      onKeep()
    }
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send()
  }
  return (
    <div className="edit">
      <textarea
        aria-label="Edited prompt"
        value={prompt}
        rows={Math.min(10, prompt.split('\n').length + 1)}
        // biome-ignore lint/a11y/noAutofocus: the person asked for this field with a click
        autoFocus
        onChange={(event) => setPrompt(event.target.value)}
        onKeyDown={onKey}
      />
      <div className="row wrap">
        <Button look="primary" isBusy={isBusy} isDisabled={prompt.trim() === ''} onClick={() => void send()}>
          Ask again
        </Button>
        <Button onClick={onKeep}>Keep</Button>
        <span className="small t3">Replaces this prompt and everything after it.</span>
      </div>
    </div>
  )
}
