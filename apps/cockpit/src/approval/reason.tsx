// The reason of an approval. The agent writes it, and a long one would push the arguments out of sight.

import { bytesText } from 'bridle/words'
import { useState } from 'react'
import { Exact } from '../ui/exact.tsx'
import { foldedReason } from './folded-reason.ts'

export const Reason = ({ text }: { readonly text: string }) => {
  const [isWhole, setWhole] = useState(false)
  const folded = foldedReason(text)
  return (
    <>
      <Exact text={isWhole || folded === null ? text : `${folded} …`} />
      {folded !== null && (
        <>
          {' '}
          <button type="button" className="btn ghost copy" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Show less' : `Show all ${bytesText(text.length)}`}
          </button>
        </>
      )}
    </>
  )
}
