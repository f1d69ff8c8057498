export * from '@bridle/agents/testing/index'
