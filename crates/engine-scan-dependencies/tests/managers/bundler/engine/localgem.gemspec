Gem::Specification.new do |s|
  s.name = "localgem"
  s.version = "0.1.0"
  s.summary = "x"
  s.authors = ["x"]
  s.add_dependency "fixd", "~> 1.0"
end
