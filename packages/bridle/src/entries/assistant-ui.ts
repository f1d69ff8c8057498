export * from '@bridle/assistant-ui/index'
