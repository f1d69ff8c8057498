import { bytesText } from 'bridle/words'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { visibleText } from '../../ui/plain-text.ts'
import { foldScript, isScript } from '../../ui/script-text.ts'

/** A prompt longer than this begins with a part. */
const PROMPT_CHARS = 1_500

/** The words of a person, as they were written. */
export const PromptText = ({ text }: { readonly text: string }) => {
  const [isWhole, setWhole] = useState(false)
  const [isFolded, setFolded] = useState(() => isScript(text))
  if (isFolded)
    return (
      <p className="said row">
        {foldScript(text)}
        <Button look="ghost" onClick={() => setFolded(false)}>
          Show the script
        </Button>
      </p>
    )
  if (text.length <= PROMPT_CHARS) return <p className="said">{visibleText(text)}</p>
  if (isWhole) return <Code text={text} label="Prompt" />
  return (
    <>
      <p className="said">{visibleText(text.slice(0, PROMPT_CHARS))}…</p>
      <Button look="ghost" onClick={() => setWhole(true)}>
        Show all {bytesText(text.length)}
      </Button>
    </>
  )
}
