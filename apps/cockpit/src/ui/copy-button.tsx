import { useState } from 'react'
import { Icon } from './icon.tsx'
import { showError } from './toast.tsx'

/** Time that a button says "Copied". */
const CONFIRMED_MS = 1_500

export const CopyButton = ({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) => {
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
      setTimeout(() => setCopied(false), CONFIRMED_MS)
    } catch (error) {
      showError(error)
    }
  }
  return (
    <button type="button" className="btn ghost copy" onClick={() => void copy()}>
      <Icon name={isCopied ? 'check' : 'copy'} size={12} />
      {isCopied ? 'Copied' : label}
    </button>
  )
}
