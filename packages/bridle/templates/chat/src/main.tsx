import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Chat } from './chat.tsx'
import './styles.css'

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <Chat />
  </StrictMode>,
)
