import { useState } from 'react'
import { Icon } from './icon.tsx'
import { CONFIRMED_MS } from './limits.ts'
import { showError } from './toast.tsx'

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
